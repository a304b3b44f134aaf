import { afterAll, beforeAll, expect, test } from "vitest"
import { startPostgres, type TestPostgres } from "../../src/postgres/index.ts"
import { type Folder, runProcess, serverMain, startProcess, temporaryFolder } from "../../src/support/process.ts"

let postgres: TestPostgres
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
  const run = async (...args: ReadonlyArray<string>) => {
    const ended = await runProcess(serverMain, [...args, "--json", "--data", folder.path], environment)
    expect(ended).toMatchObject({ code: 0, stderr: "" })
    return JSON.parse(ended.stdout) as { readonly token: string }
  }
  await run("account", "create", "Acme")
  const { token } = await run("admin", "create", "--account", "1", "--email", "ada@acme.test", "--name", "Ada")
  const args = ["serve", "--port", "0", "--data", folder.path, "--json"]
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
