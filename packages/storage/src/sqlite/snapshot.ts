import { existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import type { ContentRow } from "../sql/inspect/Inspection.ts"
import { DatabaseRefused } from "../sql/refusals.ts"
import { sqlErrorOf } from "./trouble.ts"

/** What a copy of a database holds. */
export interface Snapshot {
  readonly version: number
  /** Rows by table. */
  readonly counts: Readonly<Record<string, number>>
  readonly contents: ReadonlyArray<ContentRow>
}

/** Opens a database to read it, whether a server has it or not. Throws a `DatabaseRefused`. */
export const withDatabase = <A>(file: string, use: (database: DatabaseSync) => A): A => {
  if (!existsSync(file)) throw new DatabaseRefused({ file, why: "it is not there" })
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true })
    database.exec("PRAGMA busy_timeout = 5000")
    return use(database)
  } catch (error) {
    if (error instanceof DatabaseRefused || (error as { readonly code?: string }).code !== "ERR_SQLITE_ERROR")
      throw error
    throw new DatabaseRefused({ file, why: sqlErrorOf(error, file).message.slice(file.length + 2) })
  } finally {
    database?.close()
  }
}

/**
 * Copies a database as it is at one moment, which a server may write to meanwhile. What was deleted is not in the copy, nor
 * what an earlier key sealed. Throws a `DatabaseRefused`; what it has written is then the caller's to remove.
 */
export const copyDatabase = (file: string, to: string): void =>
  withDatabase(file, (database) => void database.prepare("VACUUM INTO ?").run(to))

/** What is in a copy, once it has been looked through for damage. Throws a `DatabaseRefused`. */
export const readSnapshot = (file: string): Snapshot =>
  withDatabase(file, (database) => {
    const [damage] = database
      .prepare("PRAGMA quick_check(1)")
      .all()
      .map((row) => String(Object.values(row)[0]))
    if (damage !== "ok") throw new DatabaseRefused({ file, why: `it is damaged (${damage})` })
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all()
    const count = (name: string) => Number(database.prepare(`SELECT count(*) AS count FROM "${name}"`).get()?.count)
    const contents = database
      .prepare("SELECT sha256, size_bytes FROM file_contents WHERE refs > 0 ORDER BY sha256")
      .all()
    return {
      version: versionIn(database),
      counts: Object.fromEntries(tables.map(({ name }) => [String(name), count(String(name))]).toSorted()),
      contents: contents.map(({ sha256, size_bytes }) => ({ sha256: String(sha256), sizeBytes: Number(size_bytes) }))
    }
  })

const versionIn = (database: DatabaseSync): number =>
  Number(database.prepare("SELECT max(version) AS version FROM migrations").get()?.version)

/** Of a database, as it is. Throws a `DatabaseRefused`. */
export const databaseVersion = (file: string): number => withDatabase(file, versionIn)

/** Of the key that everything in the database is sealed with. Throws a `DatabaseRefused`. */
export const keyFingerprintIn = (file: string): string | undefined =>
  withDatabase(file, (database) => {
    const row = database.prepare("SELECT value FROM meta WHERE name = 'key_fingerprint'").get()
    return row === undefined ? undefined : String(row.value)
  })
