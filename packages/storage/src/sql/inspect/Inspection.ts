import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { migrations } from "../migrations/index.ts"
import type { Query } from "../Query.ts"
import { inspectDeliveries } from "./deliveries.ts"
import { inspectTables, latestInstant } from "./tables.ts"
import type { JsonWords } from "./words.ts"

/** Content that files in a database have. */
export interface ContentRow {
  readonly sha256: string
  readonly sizeBytes: number
}

/** What a look through a database has found, as it was at one moment; servers may run on it. */
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

/** The version that this program makes of a database. */
export const newestVersion = migrations.length

const versionIn = (query: Query): Effect.Effect<number, SqlError> =>
  Effect.map(query<[number | null]>("SELECT max(version) FROM migrations"), ([row]) => Number(row![0]))

/** Of the key that everything in the database is sealed with. */
const keyFingerprintOf = (query: Query): Effect.Effect<string | undefined, SqlError> =>
  Effect.map(query<[string]>("SELECT value FROM meta WHERE name = 'key_fingerprint'"), ([row]) => row?.[0])

/** Content that files have. */
export const contentsOf = (query: Query): Effect.Effect<ReadonlyArray<ContentRow>, SqlError> =>
  Effect.map(
    query<[string, number]>("SELECT sha256, size_bytes FROM file_contents WHERE refs > 0 ORDER BY sha256"),
    (rows) => rows.map(([sha256, sizeBytes]) => ({ sha256, sizeBytes }))
  )

/** Content that any row knows, be it on its way out. */
export const knownContentsOf = (query: Query): Effect.Effect<ReadonlySet<string>, SqlError> =>
  Effect.map(query<[string]>("SELECT sha256 FROM file_contents"), (rows) => new Set(rows.map(([sha256]) => sha256)))

/** Looks through a database that must not change meanwhile. */
export const inspectWith = Effect.fnUntraced(function* (
  query: Query,
  words: JsonWords
): Effect.fn.Return<Inspection, SqlError> {
  const version = yield* versionIn(query)
  const keyFingerprint = yield* keyFingerprintOf(query)
  const unread = { version, newestVersion, keyFingerprint, faults: {}, deliveries: 0, contents: [], latestInstant: 0 }
  if (version !== newestVersion) return unread
  const tables = yield* inspectTables(query, words)
  const deliveries = yield* inspectDeliveries(query, words)
  return {
    ...unread,
    faults: { ...tables, deliveries: deliveries.faults },
    deliveries: deliveries.count,
    contents: yield* contentsOf(query),
    latestInstant: yield* latestInstant(query)
  }
})
