import { join } from "node:path"
import { expect, test } from "vitest"
import { started, temporaryFolder } from "./support/command.ts"

const password = "correct horse battery staple"

/** A browser without scripts: it keeps the session's cookie, and says where its forms come from. */
class Browser {
  readonly base: string
  cookie = ""
  constructor(base: string) {
    this.base = base
  }

  private async ask(path: string, init: RequestInit = {}) {
    const headers = { ...(this.cookie !== "" && { cookie: this.cookie }), ...(init.headers as Record<string, string>) }
    const response = await fetch(`${this.base}${path}`, { ...init, headers, redirect: "manual" })
    const set = response.headers.get("set-cookie")
    if (set !== null) this.cookie = set.split(";", 1)[0] ?? ""
    return {
      status: response.status,
      location: response.headers.get("location"),
      headers: response.headers,
      text: await response.text()
    }
  }

  open(path: string) {
    return this.ask(path)
  }

  send(path: string, fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) {
    const body = new URLSearchParams(fields)
    return this.ask(path, { method: "POST", body, headers: { origin: this.base, ...headers } })
  }
}

test("the set-up link of a new server creates the admin, who can sign in and out without scripts", async () => {
  const server = await started(["--data", join(temporaryFolder(), "data")], { TAPEDECK_LOG: "json" })
  const [link = ""] = /http\S+\/sign-in\/link\?token=\S+/.exec(server.output.out) ?? []
  const base = new URL(link).origin
  const token = new URL(link).searchParams.get("token") ?? ""
  const browser = new Browser(base)

  const page = await browser.open(link.slice(base.length))
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining("Set up Tapedeck") })
  const policy = page.headers.get("content-security-policy")
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'$/
  )
  expect(page.headers.get("referrer-policy")).toBe("same-origin")
  expect(page.headers.get("cache-control")).toBe("no-store")
  expect(page.text).not.toContain("<script")

  const fields = { token, account: "Acme <& Co>", name: "Ada", email: "ada@acme.test", password }
  const short = await browser.send("/sign-in/link", { ...fields, password: "short" })
  expect(short).toMatchObject({
    status: 422,
    text: expect.stringContaining("password must be at least 12 characters long")
  })
  // What was typed in is still there, but for the password.
  expect(short.text).toContain("Acme &lt;&amp; Co&gt;")
  expect(short.text).not.toContain('short"')
  expect(await browser.send("/sign-in/link", fields)).toMatchObject({ status: 303, location: "/" })
  expect(await browser.send("/sign-in/link", fields)).toMatchObject({ status: 404 })
  const own = (await browser.open("/sign-in/account")).text
  expect(own).toContain('<bdi dir="auto">Acme &lt;&amp; Co&gt;</bdi>')
  expect(own).toContain('<h1 dir="auto">Ada</h1>')
  expect((await browser.open("/api/settings/users")).status).toBe(200)

  expect(await browser.send("/sign-in/sign-out", {}, { origin: "https://evil.test" })).toMatchObject({ status: 403 })
  expect(await browser.send("/sign-in/sign-out", {})).toMatchObject({ status: 303, location: "/sign-in" })
  expect(await browser.open("/sign-in/account")).toMatchObject({ status: 303, location: "/sign-in" })

  const wrong = await browser.send("/sign-in", { email: "ada@acme.test", password: "wrong horse battery staple" })
  expect(wrong).toMatchObject({
    status: 401,
    text: expect.stringContaining("The e-mail address or the password is wrong")
  })
  expect(wrong.text).toContain('value="ada@acme.test"')
  expect(wrong.text).not.toContain("wrong horse")
  for (const [next, location] of [
    ["/sign-in/account?x=1", "/sign-in/account?x=1"],
    ["//evil.test", "/"],
    ["https://evil.test", "/"],
    ["/\\evil.test", "/"]
  ] as const) {
    const other = new Browser(base)
    expect(await other.send("/sign-in", { email: "ada@acme.test", password, next }), next).toMatchObject({
      status: 303,
      location
    })
  }
  await browser.send("/sign-in", { email: "ada@acme.test", password })

  const account = await browser.open("/sign-in/account")
  const [, id = ""] = /name="id" type="hidden" value="([^"]+)"/.exec(account.text) ?? []
  expect(await browser.send("/sign-in/sessions/end", { id })).toMatchObject({ status: 303 })
  expect((await browser.open("/sign-in/account")).text).not.toContain(id)
  expect(await browser.send("/sign-in/sessions/end-others", {})).toMatchObject({ status: 303 })
  expect((await browser.open("/sign-in/account")).text).not.toContain("/sign-in/sessions/end")
  const change = { current_password: password, password: "an altogether different one" }
  expect((await browser.send("/sign-in/password", change)).text).toContain("Your password was changed.")
  expect(await browser.send("/sign-in/password", change)).toMatchObject({
    status: 422,
    text: expect.stringContaining("current password is not your password")
  })
  expect((await browser.open("/sign-in/nothing")).status).toBe(404)

  server.child.kill("SIGTERM")
  await server.ended
  // The link is on standard output alone, and nothing else of it is anywhere.
  const told = server.output.err + server.output.out.replace(token, "")
  for (const secret of [token, password, browser.cookie.split("=")[1] ?? "?", change.password]) {
    expect(told).not.toContain(secret)
  }
})

test("a form larger than 16 KiB is 413, whether its length is declared or not", async () => {
  const server = await started(["--store", "memory"])
  const base = /http:\/\/127\.0\.0\.1:\d+/.exec(server.output.out)?.[0] ?? ""
  const post = async (size: number, isDeclared: boolean) => {
    const form = `email=${"x".repeat(size - 6)}`
    const body = isDeclared ? form : new Blob([form]).stream()
    const headers = { origin: base, "content-type": "application/x-www-form-urlencoded" }
    const response = await fetch(`${base}/sign-in`, { method: "POST", headers, body, duplex: "half" } as RequestInit)
    return { status: response.status, text: await response.text() }
  }
  for (const isDeclared of [true, false]) {
    expect((await post(16 * 1024, isDeclared)).status).toBe(401)
    const refused = await post(16 * 1024 + 1, isDeclared)
    expect(refused).toEqual({ status: 413, text: expect.stringContaining("The form is larger than 16 KiB") })
  }
})
