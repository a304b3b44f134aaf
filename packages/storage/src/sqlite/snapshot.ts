import { existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { DatabaseRefused } from "../sql/database/errors.ts"
import type { ContentRow } from "../sql/inspect/Inspection.ts"
import { sqlErrorOf } from "./errors.ts"

/** The content of a copy of a database. */
export interface Snapshot {
  readonly version: number
  /** Rows by table. */
  readonly counts: Readonly<Record<string, number>>
  readonly contents: ReadonlyArray<ContentRow>
}

/** Opens a database read-only, even while a server uses it. Throws `DatabaseRefused`. */
export const withDatabase = <A>(file: string, use: (database: DatabaseSync) => A): A => {
  if (!existsSync(file)) throw new DatabaseRefused({ file, why: "there is no such file" })
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
 * Copies a snapshot of a database, even while a server writes to it. The copy contains nothing that was deleted or sealed with an
 * earlier key. Throws `DatabaseRefused`; the caller then removes the incomplete copy.
 */
export const copyDatabase = (file: string, to: string): void =>
  withDatabase(file, (database) => void database.prepare("VACUUM INTO ?").run(to))

/** Makes a copy an installation of its own: it does not share the original's files unless an operator says so. */
export const disownCopy = (file: string): void => {
  const database = new DatabaseSync(file)
  try {
    database.exec("DELETE FROM meta WHERE name = 'installation'")
  } finally {
    database.close()
  }
}

/** Checks a copy for damage, and returns what it contains. Throws `DatabaseRefused`. */
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
    const contents = database.prepare("SELECT key, size_bytes FROM file_contents WHERE refs > 0 ORDER BY key").all()
    return {
      version: versionIn(database),
      counts: Object.fromEntries(tables.map(({ name }) => [String(name), count(String(name))]).toSorted()),
      contents: contents.map(({ key, size_bytes }) => ({ key: String(key), sizeBytes: Number(size_bytes) }))
    }
  })

const versionIn = (database: DatabaseSync): number =>
  Number(database.prepare("SELECT max(version) AS version FROM migrations").get()?.version)

/** The version of a database. Throws `DatabaseRefused`. */
export const databaseVersion = (file: string): number => withDatabase(file, versionIn)

/** The fingerprint of the database's key. Throws `DatabaseRefused`. */
export const keyFingerprintIn = (file: string): string | undefined =>
  withDatabase(file, (database) => {
    const row = database.prepare("SELECT value FROM meta WHERE name = 'key_fingerprint'").get()
    return row === undefined ? undefined : String(row.value)
  })
