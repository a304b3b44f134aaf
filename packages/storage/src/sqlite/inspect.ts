import { inspectDeliveries as deliveries } from "./inspect/deliveries.ts"
import { inspectPages, inspectTables, latestInstant } from "./inspect/tables.ts"
import { type ContentRow, databaseVersion, keyFingerprintIn, newestVersion, withDatabase } from "./snapshot.ts"

/** What a look through a database has found, as it was at one moment; a server may run on it. */
export interface Inspection {
  readonly version: number
  readonly newestVersion: number
  readonly keyFingerprint: string | undefined
  /** What does not hold, by what was looked at: a line for each. A database of another version is not looked into. */
  readonly faults: Readonly<Record<string, ReadonlyArray<string>>>
  readonly deliveries: number
  readonly contents: ReadonlyArray<ContentRow>
  readonly latestInstant: number
}

/** Looks through a database; `deep` takes longer. Throws a `DatabaseRefused` for one that cannot be read. */
export const inspectDatabase = (file: string, { deep }: { readonly deep: boolean }): Inspection => {
  const version = databaseVersion(file)
  const keyFingerprint = keyFingerprintIn(file)
  const unread = { version, newestVersion, keyFingerprint, faults: {}, deliveries: 0, contents: [], latestInstant: 0 }
  if (version !== newestVersion) return unread
  return withDatabase(file, (database) => {
    database.exec("BEGIN")
    const found = deliveries(database)
    return {
      ...unread,
      faults: { database: inspectPages(database, deep), ...inspectTables(database), deliveries: found.faults },
      deliveries: found.count,
      contents: contentsIn(file),
      latestInstant: latestInstant(database)
    }
  })
}

/**
 * The invariants of deliveries: each has ended or has something due, its attempts are numbered within its schedule, what is
 * in hand has an end. Throws a `DatabaseRefused`.
 */
export const inspectDeliveries = (file: string) => withDatabase(file, deliveries)

/** Content that files have, as the database is now. Throws a `DatabaseRefused`. */
export const contentsIn = (file: string): ReadonlyArray<ContentRow> =>
  withDatabase(file, (database) =>
    database
      .prepare("SELECT sha256, size_bytes FROM file_contents WHERE refs > 0 ORDER BY sha256")
      .all()
      .map(({ sha256, size_bytes }) => ({ sha256: String(sha256), sizeBytes: Number(size_bytes) }))
  )

/** Content that any row knows, be it on its way out. Throws a `DatabaseRefused`. */
export const knownContents = (file: string): ReadonlySet<string> =>
  withDatabase(
    file,
    (database) =>
      new Set(
        database
          .prepare("SELECT sha256 FROM file_contents")
          .all()
          .map(({ sha256 }) => String(sha256))
      )
  )
