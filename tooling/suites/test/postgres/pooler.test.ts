import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { migrateDatabase } from "@tapedeck/storage/postgres"
import { readFence } from "@tapedeck/tsconfig/fences.ts"
import { Effect, Redacted } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { startPostgres, type TestDatabase, type TestDatabases } from "../../src/postgres/index.ts"
import { temporaryFolder } from "../../src/support/process.ts"

/** Debian's package `pgbouncer`. Without it these tests are skipped. */
const pgbouncer = (() => {
  try {
    return execFileSync("sh", ["-c", "PATH=$PATH:/usr/sbin command -v pgbouncer"], { encoding: "utf8" }).trim()
  } catch {
    return undefined
  }
})()

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, "close")
  return port
}

/** The recipe of the documentation. */
const recipe = { ini: readFence("docs/cluster.md", "ini"), sql: readFence("docs/cluster.md", "sql") }
const startup = /ignore_startup_parameters = (.*)/.exec(recipe.ini)![1]!

describe.skipIf(pgbouncer === undefined)("a start through PgBouncer", () => {
  let postgres: TestDatabases
  let running: ChildProcess | undefined
  let database: TestDatabase
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterEach(async () => {
    if (running === undefined) return
    const ended = once(running, "close")
    running.kill("SIGINT")
    await ended
    running = undefined
  })
  afterAll(() => postgres.close())

  /** Starts a pooler in front of a new database; returns the database's address through it. */
  const pooled = async (settings: string): Promise<string> => {
    database = await postgres.createDatabase()
    const { url } = database
    const { hostname, password, pathname, port, username } = new URL(url)
    const { path } = await temporaryFolder()
    chmodSync(path, 0o755)
    const own = await freePort()
    const user = process.getuid?.() === 0 ? "user = daemon" : ""
    writeFileSync(join(path, "users.txt"), `"${username}" "${decodeURIComponent(password)}"\n`)
    writeFileSync(
      join(path, "pgbouncer.ini"),
      `[databases]\n* = host=${hostname} port=${port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${own}\nunix_socket_dir =\n` +
        `auth_type = scram-sha-256\nauth_file = ${join(path, "users.txt")}\n${user}\n${settings}\n`
    )
    running = spawn(pgbouncer!, [join(path, "pgbouncer.ini")], { stdio: ["ignore", "ignore", "pipe"] })
    await new Promise<void>((resolve, reject) => {
      let log = ""
      running?.stderr?.setEncoding("utf8").on("data", (text: string) => {
        log += text
        if (log.includes("process up")) resolve()
      })
      running?.once("close", () => reject(new Error(log)))
    })
    return `postgres://${username}:${password}@127.0.0.1:${own}${pathname}`
  }

  const outcome = (url: string) =>
    Effect.runPromise(migrateDatabase({ url: Redacted.make(url) })).then(
      () => "started",
      (error: Error) => error.message
    )

  test.each([1, 2, 20])(
    "in transaction mode is refused with the reason, with %d sessions of PostgreSQL",
    async (size) => {
      const url = await pooled(
        `pool_mode = transaction\ndefault_pool_size = ${size}\nignore_startup_parameters = ${startup}`
      )
      expect(await outcome(url)).toMatch(/a pooler gives each transaction another session .*pool_mode = transaction/)
    }
  )

  test("in session mode is refused with the reason if the pooler drops the settings of a session", async () => {
    const url = await pooled(`pool_mode = session\nignore_startup_parameters = ${startup}`)
    expect(await outcome(url)).toMatch(/a pooler drops the settings .*plan_cache_mode/)
  })

  test("in session mode starts with the settings that the documentation gives to the role", async () => {
    const url = await pooled(recipe.ini)
    for (const statement of recipe.sql.trim().split("\n")) await database.query(statement)
    expect(await outcome(url)).toBe("started")
    await database.query("ALTER ROLE CURRENT_USER RESET ALL")
  })

  test("is refused with the reason if the pooler refuses the settings of a session", async () => {
    expect(await outcome(await pooled("pool_mode = session"))).toMatch(/a pooler refuses the settings/)
  })
})
