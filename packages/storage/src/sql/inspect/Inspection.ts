import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { JsonFunctions } from "../database/dialect.ts"
import type { Query } from "../database/statements.ts"
import { migrations } from "../migrations/index.ts"
import { inspectDeliveries } from "./deliveries.ts"
import { inspectTables, latestInstant } from "./tables.ts"

/** Content that files refer to. */
export interface ContentRow {
  /** The name under which it is stored, which begins with its SHA-256 (64 digits). */
  readonly key: string
  readonly sizeBytes: number
}

/** The result of inspecting one snapshot of a database, which servers may use meanwhile. */
export interface Inspection {
  readonly version: number
  readonly newestVersion: number
  readonly keyFingerprint: string | undefined
  /** Violated invariants by check, a line each. Empty for a database of another version, which is not inspected. */
  readonly faults: Readonly<Record<string, ReadonlyArray<string>>>
  readonly deliveries: number
  readonly contents: ReadonlyArray<ContentRow>
  readonly latestInstant: number
}

/** The version to which this program migrates a database. */
export const newestVersion = migrations.length

const versionIn = (query: Query): Effect.Effect<number, SqlError> =>
  Effect.map(query<[number | null]>("SELECT max(version) FROM migrations"), ([row]) => Number(row![0]))

/** The fingerprint of the key with which the secrets are sealed. */
const keyFingerprintOf = (query: Query): Effect.Effect<string | undefined, SqlError> =>
  Effect.map(query<[string]>("SELECT value FROM meta WHERE name = 'key_fingerprint'"), ([row]) => row?.[0])

/** Content that files refer to. */
export const contentsOf = (query: Query): Effect.Effect<ReadonlyArray<ContentRow>, SqlError> =>
  Effect.map(query<[string, number]>("SELECT key, size_bytes FROM file_contents WHERE refs > 0 ORDER BY key"), (rows) =>
    rows.map(([key, sizeBytes]) => ({ key, sizeBytes }))
  )

/** The keys of all content that has a row: also of content that is being stored or is to be removed. */
export const knownContentsOf = (query: Query): Effect.Effect<ReadonlySet<string>, SqlError> =>
  Effect.map(
    query<[string]>("SELECT key FROM file_contents UNION ALL SELECT key FROM content_removals"),
    (rows) => new Set(rows.map(([key]) => key))
  )

/** Inspects a database, which must not change meanwhile. */
export const inspectWith = Effect.fnUntraced(function* (
  query: Query,
  json: JsonFunctions
): Effect.fn.Return<Inspection, SqlError> {
  const version = yield* versionIn(query)
  const keyFingerprint = yield* keyFingerprintOf(query)
  const unread = { version, newestVersion, keyFingerprint, faults: {}, deliveries: 0, contents: [], latestInstant: 0 }
  if (version !== newestVersion) return unread
  const tables = yield* inspectTables(query, json)
  const deliveries = yield* inspectDeliveries(query, json)
  return {
    ...unread,
    faults: { ...tables, deliveries: deliveries.faults },
    deliveries: deliveries.count,
    contents: yield* contentsOf(query),
    latestInstant: yield* latestInstant(query)
  }
})
