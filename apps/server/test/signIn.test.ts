import { join } from "node:path"
import { expect, test } from "vitest"
import { listening, run, temporaryFolder } from "./support/command.ts"

const password = "correct horse battery staple"

/** A data directory with an account and its first admin, who has set a password by the link that the command told. */
const withAdmin = async () => {
  const data = join(temporaryFolder(), "data")
  await run(["account", "create", "Acme", "--data", data])
  const args = ["admin", "create", "--account", "1", "--email", "ada@acme.test", "--name", "Ada", "--json"]
  const { out } = await run([...args, "--data", data])
  const { link } = JSON.parse(out) as { link: { url: string } }
  return { data, token: new URL(link.url).searchParams.get("token") ?? "", url: link.url }
}

const post = (base: string, path: string, json: unknown, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${base}/api/settings${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: base, ...headers },
    body: JSON.stringify(json)
  })

const cookieOf = (response: Response): string => (response.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? ""

test("the first admin's link sets a password that signs in, and sessions survive a restart", async () => {
  const { data, token, url } = await withAdmin()
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:4020\/sign-in\/link\?token=[\w-]{43}$/)
  const server = await listening(["--data", data])
  const base = server.view.base_url
  const set = await post(base, "/sign-in/link", { token, password })
  expect(set.status).toBe(200)
  expect((await post(base, "/sign-in/link", { token, password })).status).toBe(404)
  const signedIn = await post(base, "/sign-in", { email: "ada@acme.test", password })
  expect(signedIn.status).toBe(200)
  const cookie = cookieOf(signedIn)
  const get = (at: string, path: string) => fetch(`${at}/api/settings${path}`, { headers: { cookie } })
  expect((await get(base, "/users")).status).toBe(200)
  await server.stop()

  const again = await listening(["--data", data])
  const there = again.view.base_url
  expect((await get(there, "/session")).status).toBe(200)
  expect((await post(there, "/sign-out", {}, { cookie })).status).toBe(204)
  expect((await get(there, "/session")).status).toBe(401)
  const other = cookieOf(await post(there, "/sign-in", { email: "ada@acme.test", password }))
  const log = await fetch(`${there}/api/settings/audit-entries`, { headers: { cookie: other } })
  const { audit_entries } = (await log.json()) as { audit_entries: ReadonlyArray<{ event_type: string }> }
  expect(audit_entries.map(({ event_type }) => event_type).slice(0, 5)).toEqual([
    "user.login",
    "user.logout",
    "user.login",
    "user.login",
    "user.password_changed"
  ])
  expect(server.output.err + server.output.out + again.output.err + again.output.out).not.toContain(password)
})
