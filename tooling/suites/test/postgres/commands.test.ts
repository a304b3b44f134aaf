import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startPostgres, type TestDatabases } from "../../src/postgres/index.ts"
import { type Folder, runProcess, serverMain, startProcess, temporaryFolder } from "../../src/support/process.ts"

let postgres: TestDatabases
let folder: Folder
beforeAll(async () => {
  postgres = await startPostgres()
  folder = await temporaryFolder()
})
afterAll(async () => {
  await postgres.close()
  await folder.remove()
})

test("the account command works in the configured database, and its audit log is verified beside a server", async () => {
  const { query, url } = await postgres.createDatabase()
  const environment = { TAPEDECK_DATABASE_URL: url }
  const run = (...args: ReadonlyArray<string>) => runProcess(serverMain, [...args, "--data", folder.path], environment)
  const made = await run("account", "create", "Acme", "--json")
  expect({ ...made, stdout: JSON.parse(made.stdout) }).toMatchObject({
    code: 0,
    stderr: "",
    stdout: { accounts: [{ id: 1 }] }
  })
  const server = await startProcess(serverMain, ["serve", "--port", "0", "--data", folder.path, "--json"], environment)
  const linked = async () => Number((await query("SELECT count(*) AS count FROM audit_seals"))[0]!.count)
  while ((await linked()) === 0);
  const fine = await run("audit", "verify", "--json")
  expect({ ...fine, stdout: JSON.parse(fine.stdout) }).toMatchObject({ code: 0, stderr: "", stdout: { ok: true } })
  await query("UPDATE audit_entries SET document = replace(document, 'Acme', 'Evil')")
  await query("UPDATE audit_entries SET at = at + 1")
  expect(await run("audit", "verify", "--json")).toMatchObject({ code: 7 })
  await server.stop()
})

test("S4: account set takes effect while a server runs: tokens are 403 at once", async () => {
  const { url } = await postgres.createDatabase()
  const environment = { TAPEDECK_DATABASE_URL: url }
  const data = join(folder.path, "access")
  const run = async (...args: ReadonlyArray<string>) => {
    const ended = await runProcess(serverMain, [...args, "--json", "--data", data], environment)
    expect(ended).toMatchObject({ code: 0, stderr: "" })
    return JSON.parse(ended.stdout) as { readonly token: string }
  }
  await run("account", "create", "Acme")
  const { token } = await run("admin", "create", "--account", "1", "--email", "ada@acme.test", "--name", "Ada")
  const args = ["serve", "--port", "0", "--data", data, "--json"]
  const server = await startProcess<{ base_url: string }>(serverMain, args, environment)
  const status = async () => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${server.ready.base_url}/api/v2/recordings`, { headers })).status
  }
  expect(await status()).toBe(200)
  await run("account", "set", "1", "--api-access", "off")
  expect(await status()).toBe(403)
  await run("account", "set", "1", "--api-access", "on")
  expect(await status()).toBe(200)
  await server.stop()
})

test("doctor says when nodes remove content that is not in the database, and admin link signs in while a server runs", async () => {
  const { url } = await postgres.createDatabase()
  const environment = { TAPEDECK_DATABASE_URL: url }
  const data = join(folder.path, "loose")
  const run = async (...args: ReadonlyArray<string>) => {
    const ended = await runProcess(serverMain, [...args, "--json", "--data", data], environment)
    expect(ended).toMatchObject({ code: 0, stderr: "" })
    return JSON.parse(ended.stdout) as Record<string, unknown>
  }
  await run("account", "create", "Acme")
  await run("admin", "create", "--account", "1", "--email", "ada@acme.test", "--name", "Ada")

  const loose = join(data, "files", "ff", `${"f".repeat(64)}-${"f".repeat(16)}`)
  mkdirSync(join(data, "files", "ff"), { recursive: true })
  writeFileSync(loose, "unknown")
  const text =
    "1 contents are not in the database: a node finds them at its start, or within a day while it runs, and removes them 24 hours later"
  const findings = (await run("doctor")).findings
  expect(findings).toContainEqual({ level: "note", check: "files", text })

  const args = ["serve", "--port", "0", "--data", data, "--json"]
  const server = await startProcess<{ base_url: string }>(serverMain, args, environment)
  const origin = server.ready.base_url
  const { url: link } = (await run("admin", "link", "ada@acme.test")).link as { readonly url: string }
  const use = () =>
    fetch(`${origin}/api/settings/sign-in/link`, {
      method: "POST",
      headers: { "content-type": "application/json", origin },
      body: JSON.stringify({ token: new URL(link).searchParams.get("token") })
    })
  const signedIn = await use()
  expect([signedIn.status, signedIn.headers.get("set-cookie")]).toEqual([200, expect.stringContaining("HttpOnly")])
  expect((await use()).status).toBe(404)
  await server.stop()
})
