import { migrateDatabase } from "@tapedeck/storage/postgres"
import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startOwnPostgres, startPostgres, type TestDatabases } from "../../src/postgres/index.ts"
import { runProcess, serverMain, startProcess, temporaryFolder } from "../../src/support/process.ts"

let postgres: TestDatabases
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.close())

const migrate = (url: string) => Effect.runPromise(migrateDatabase({ url: Redacted.make(url) }))

test("nodes that start on a new database at the same time create its tables once", async () => {
  const database = await postgres.createDatabase()
  await Promise.all([1, 2, 3].map(() => migrate(database.url)))
  const versions = await database.query("SELECT version::int FROM migrations ORDER BY version")
  expect(versions.map(({ version }) => version)).toEqual(versions.map((_, index) => index + 1))
  expect(versions.length).toBeGreaterThan(0)
})

const refusalOf = (url: string) =>
  migrate(url).then(
    () => "",
    (error: Error) => String(error.message)
  )

test("the error of an unusable database names it and the reason, without its password", async () => {
  const { url } = await postgres.createDatabase()
  const changed = (change: (url: URL) => void) => {
    const other = new URL(url)
    change(other)
    return other.href
  }
  const { password, username } = new URL(url)
  const refusals = await Promise.all([
    refusalOf(changed((one) => (one.pathname = "/nowhere"))),
    refusalOf(changed((one) => (one.password = "another-password"))),
    refusalOf(changed((one) => (one.port = "1")))
  ])
  expect(refusals).toEqual([
    expect.stringMatching(/\/nowhere: there is no such database$/),
    expect.stringMatching(/: authentication failed: check the user name and the password$/),
    expect.stringMatching(/:1\/\w+: it cannot be reached \(.*ECONNREFUSED.*\)$/)
  ])
  for (const refusal of refusals) {
    expect(refusal).toContain(`postgres://${username}@`)
    expect(refusal).not.toMatch(new RegExp(`${password}|another-password`))
  }
})

test("a server whose database is down does not start: exit code 5, and no password in its output", async () => {
  const { url } = await postgres.createDatabase()
  const down = new URL(url)
  down.port = "1"
  const folder = await temporaryFolder()
  const { code, stderr, stdout } = await runProcess(serverMain, ["serve", "--port", "0", "--data", folder.path], {
    TAPEDECK_DATABASE_URL: down.href
  })
  await folder.remove()
  expect(code).toBe(5)
  expect(stderr).toMatch(/cannot be reached/)
  expect(stderr + stdout).not.toContain(down.password)
})

test("a server is not ready while its database is down, and is ready again when it is back", async () => {
  const own = await startOwnPostgres()
  const { url } = await own.createDatabase()
  const folder = await temporaryFolder()
  const args = ["serve", "--port", "0", "--data", folder.path, "--demo", "--json"]
  const started = await startProcess<{ base_url: string; tokens: Record<string, string> }>(serverMain, args, {
    TAPEDECK_DATABASE_URL: url
  })
  const { base_url, tokens } = started.ready
  const [token] = Object.values(tokens)
  const status = async (path: string) =>
    (await fetch(base_url + path, { headers: { authorization: `Bearer ${token}` } })).status
  expect([await status("/readyz"), await status("/api/v2/recordings")]).toEqual([200, 200])
  await own.restart("immediate", async () => {
    expect([await status("/readyz"), await status("/api/v2/recordings")]).toEqual([503, 503])
    expect(await status("/healthz")).toBe(200)
  })
  expect([await status("/readyz"), await status("/api/v2/recordings")]).toEqual([200, 200])
  await started.stop()
  await folder.remove()
  await own.close()
})
