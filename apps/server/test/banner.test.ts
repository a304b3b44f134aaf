import { expect, test } from "vitest"
import { banner, type Shown } from "../src/cli/banner.ts"

const base_url = "http://127.0.0.1:4020"

const shown = (role: Shown["role"]): Shown => ({
  view: {
    version: "1.2.3",
    base_url,
    public_url: base_url,
    store: "postgres",
    data: "/data",
    tokens: { "ada@acme.test": "tdk_1" }
  },
  role,
  isNew: true,
  recording: "uuid",
  setup: null,
  signIn: `${base_url}/sign-in/link?token=t`
})

test.each(["all", "api"] as const)(
  "the banner of a server for %s has its API, its page, and a first request",
  (role) => {
    expect(banner(shown(role))).toContain(`Page      ${base_url}\n`)
    expect(banner(shown(role))).toContain(`${base_url}/api/v2/recordings`)
    expect(banner(shown(role))).toContain(`Open      ${base_url}/sign-in/link?token=t`)
  }
)

test("the banner of a dispatcher has no addresses", () => {
  const text = banner(shown("dispatcher"))
  expect(text).toContain(`Health    ${base_url}/readyz`)
  expect(text).not.toMatch(/\/api|\/r\/|Page|Open/)
})
