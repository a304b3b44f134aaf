import { expect, test } from "vitest"
import { greeting, type Shown } from "../src/cli/greeting.ts"

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
  setup: null
})

test.each(["all", "api"] as const)("a server for %s names its API, its page, and what to try", (role) => {
  expect(greeting(shown(role))).toContain(`Page      ${base_url}\n`)
  expect(greeting(shown(role))).toContain(`${base_url}/api/v2/recordings`)
})

test("a dispatcher names no place that it does not answer at", () => {
  const text = greeting(shown("dispatcher"))
  expect(text).toContain(`Health    ${base_url}/readyz`)
  expect(text).not.toMatch(/\/api|\/r\/|Page/)
})
