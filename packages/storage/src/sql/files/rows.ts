import type { Recording, RecordingUuid } from "@tapedeck/domain"
import { filesOf } from "@tapedeck/domain/internal/files"
import { type Clock, Effect } from "effect"
import type { Database } from "../database/Database.ts"
import { inList } from "../database/statements.ts"

/** A file's content, by its hash; null for generated content of that size. */
export interface FileRow {
  readonly sha256: string | null
  readonly sizeBytes: number
}

/** Content that is to be removed at `dueAt`, unless a file refers to it by then. */
export interface Removal {
  readonly key: string
  readonly dueAt: number
}

export const maxLookups = 200

/** Time after which content that is being stored is removed, if no file refers to it. */
const storeMs = 24 * 3_600_000

/** Time after which a file that no recording has is removed. Before that, another process may be about to attach it. */
const unattachedMs = 24 * 3_600_000

/** Maximum delay of a request to a bucket after its caller gave it up. */
const lateMs = 10 * 60_000

/** The number of removals that are read at a time. */
const removalsAtOnce = 1_000

const placeholders = Array(maxLookups).fill("?").join(", ")
const knownAmong = `SELECT key FROM file_contents WHERE key IN (${placeholders})
  UNION ALL SELECT key FROM content_removals WHERE key IN (${placeholders})`

const findContent = `SELECT f.sha256, f.size_bytes, c.key FROM files f LEFT JOIN file_contents c ON c.sha256 = f.sha256
  WHERE f.id = ?`

/** The number of rows that are removed in one transaction. */
const removedAtOnce = 200

// The condition is repeated: while the statement waits for a row, a file may be attached, and a content may be used again. `+ 0`:
// rows are looked up by their key, not by the index of the condition.
const removeUnattached = `DELETE FROM files WHERE unattached_since + 0 <= ? AND id IN (
    SELECT id FROM files WHERE unattached_since <= ? ORDER BY unattached_since LIMIT ${removedAtOnce})
  RETURNING sha256`
const removeUnused = `DELETE FROM file_contents WHERE refs + 0 = 0 AND sha256 IN (
    SELECT sha256 FROM file_contents WHERE refs = 0 LIMIT ${removedAtOnce})
  RETURNING key`

/** The rows of files and contents. The clock is the one that all processes go by. */
export const fileRows = ({ query }: Pick<Database, "query">, clock: Clock.Clock) => {
  const now = clock.currentTimeMillis

  const find = (id: string) =>
    Effect.map(query<readonly [string | null, number, string | null]>(findContent, id), ([row]) =>
      row === undefined ? undefined : { sha256: row[0], sizeBytes: row[1], key: row[2] }
    )

  /** Removes references. */
  const release = (sha256: string | null | undefined, refs = 1) =>
    sha256 === null || sha256 === undefined
      ? Effect.void
      : query("UPDATE file_contents SET refs = refs - ? WHERE sha256 = ?", refs, sha256)

  /**
   * Adds a reference to content that is stored, or else to the caller's own copy. False if there is neither. A copy that is not needed
   * is removed.
   */
  const refer = Effect.fnUntraced(function* (sha256: string, sizeBytes: number, own: Removal | undefined) {
    if (own === undefined) {
      const found = yield* query("UPDATE file_contents SET refs = refs + 1 WHERE sha256 = ? RETURNING 1", sha256)
      return found.length > 0
    }
    const [row] = yield* query<readonly [string]>(
      `INSERT INTO file_contents (sha256, key, size_bytes, refs) VALUES (?, ?, ?, 1)
        ON CONFLICT (sha256) DO UPDATE SET refs = file_contents.refs + 1 RETURNING key`,
      sha256,
      own.key,
      sizeBytes
    )
    if (row?.[0] !== own.key) {
      yield* reschedule(own, 0)
      return true
    }
    const cancelled = yield* query(
      "DELETE FROM content_removals WHERE key = ? AND due_at = ? RETURNING 1",
      own.key,
      own.dueAt
    )
    // The removal is due, and claimed.
    if (cancelled.length === 0) return yield* Effect.die(new Error(`${own.key}: was not stored within a day`))
    return true
  })

  const schedule = ({ dueAt, key }: Removal) =>
    query("INSERT INTO content_removals (key, due_at) VALUES (?, ?) ON CONFLICT (key) DO NOTHING", key, dueAt)

  /** Moves a removal to another time. False if it was cancelled, or another process has claimed it. */
  const reschedule = ({ dueAt, key }: Removal, at: number) =>
    Effect.map(
      query("UPDATE content_removals SET due_at = ? WHERE key = ? AND due_at = ? RETURNING 1", at, key, dueAt),
      (rows) => rows.length === 1
    )

  return {
    find,
    schedule,

    /**
     * After content may not have been stored: its request may still arrive. It does nothing if the content was stored and referred to.
     */
    abandon: (own: Removal) => Effect.flatMap(now, (at) => reschedule(own, at + lateMs)),

    /**
     * Saves a file, or replaces its content and keeps its recording. False, and nothing is saved, if the content is not stored: then
     * the caller stores it and passes its own copy.
     */
    put: Effect.fnUntraced(function* (
      id: string,
      { sha256, sizeBytes }: FileRow,
      { isUnattached, own }: { readonly isUnattached: boolean; readonly own?: Removal | undefined }
    ) {
      const before = yield* find(id)
      if (sha256 !== null && !(yield* refer(sha256, sizeBytes, own))) return false
      yield* query(
        `INSERT INTO files (id, sha256, size_bytes, unattached_since) VALUES (?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET sha256 = excluded.sha256, size_bytes = excluded.size_bytes,
            unattached_since = CASE WHEN files.unattached_since IS NULL THEN NULL ELSE excluded.unattached_since END`,
        id,
        sha256,
        sizeBytes,
        isUnattached ? yield* now : null
      )
      yield* release(before?.sha256)
      return true
    }),

    /** Adds new files with one content. False, and nothing is added, if the content is not stored. */
    add: Effect.fnUntraced(function* (ids: ReadonlyArray<string>, { sha256, sizeBytes }: FileRow) {
      if (sha256 !== null) {
        const found = yield* query(
          "UPDATE file_contents SET refs = refs + ? WHERE sha256 = ? RETURNING 1",
          ids.length,
          sha256
        )
        if (found.length === 0) return false
      }
      for (const id of ids) {
        yield* query("INSERT INTO files (id, sha256, size_bytes) VALUES (?, ?, ?)", id, sha256, sizeBytes)
      }
      return true
    }),

    isStored: (sha256: string) =>
      Effect.map(query("SELECT 1 FROM file_contents WHERE sha256 = ?", sha256), (rows) => rows.length > 0),

    /** Content that is going to be stored under the key; then call `schedule`. */
    ownCopy: (key: string): Effect.Effect<Removal> => Effect.map(now, (at) => ({ key, dueAt: at + storeMs })),

    discard: (id: string) =>
      Effect.flatMap(
        query<RemovedRow>("DELETE FROM files WHERE id = ? AND unattached_since IS NOT NULL RETURNING sha256", id),
        ([row]) => release(row?.[0])
      ),

    remove: (id: string) =>
      Effect.flatMap(query<RemovedRow>("DELETE FROM files WHERE id = ? RETURNING sha256", id), ([row]) =>
        release(row?.[0])
      ),

    /** Attaches the recording's files to it, and detaches those that it no longer has. */
    attach: Effect.fnUntraced(function* ({ uuid, video }: Recording) {
      const ids = filesOf(video).map(({ fileId }) => fileId)
      const { marks, values } = inList(["", ...ids])
      yield* query(
        `UPDATE files SET unattached_since = ? WHERE recording_uuid = ? AND id NOT IN ${marks} AND unattached_since IS NULL`,
        yield* now,
        uuid,
        ...values
      )
      if (ids.length === 0) return
      yield* query(`UPDATE files SET recording_uuid = ?, unattached_since = NULL WHERE id IN ${marks}`, uuid, ...values)
    }),

    attachFile: (id: string) => query("UPDATE files SET unattached_since = NULL WHERE id = ?", id),

    detach: (uuid: RecordingUuid) =>
      Effect.flatMap(now, (at) =>
        query("UPDATE files SET unattached_since = ? WHERE recording_uuid = ? AND unattached_since IS NULL", at, uuid)
      ),

    /**
     * Removes a batch of the files that have been unattached for a day, or of all unattached ones if no other process can be about to
     * attach them. False: there are no more.
     */
    removeUnattached: Effect.fnUntraced(function* (isAlone: boolean) {
      const before = isAlone ? Number.MAX_SAFE_INTEGER : (yield* now) - unattachedMs
      const removed = yield* query<RemovedRow>(removeUnattached, before, before)
      for (const [sha256, rows] of Map.groupBy(removed, ([sha256]) => sha256)) yield* release(sha256, rows.length)
      return removed.length === removedAtOnce
    }),

    /** Returns the keys of contents without a row; at most `maxLookups` keys. */
    withoutRow: (keys: ReadonlyArray<string>) => {
      const padded = [...keys, ...Array<string>(maxLookups - keys.length).fill("")]
      return Effect.map(query<readonly [string]>(knownAmong, ...padded, ...padded), (rows) => {
        const known = new Set(rows.map(([key]) => key))
        return keys.filter((key) => !known.has(key))
      })
    },

    hasUnused: Effect.suspend(() =>
      Effect.map(query("SELECT 1 FROM file_contents WHERE refs = 0 LIMIT 1"), (rows) => rows.length > 0)
    ),

    /** Removes a batch of the rows of unused content, which is to be removed after a delay. False: there are no more. */
    removeUnused: Effect.fnUntraced(function* (delayMs: number) {
      const dueAt = (yield* now) + delayMs
      const unused = yield* query<readonly [string]>(removeUnused)
      for (const [key] of unused) yield* schedule({ key, dueAt })
      return unused.length === removedAtOnce
    }),

    addRemoval: (key: string, delayMs: number) => Effect.flatMap(now, (at) => schedule({ key, dueAt: at + delayMs })),

    /** All removals are due: no other process is storing content, or has claimed a removal. */
    hastenAll: Effect.suspend(() => query("UPDATE content_removals SET due_at = 0 WHERE due_at > 0")),

    dueRemovals: Effect.suspend(() =>
      Effect.flatMap(now, (at) =>
        Effect.map(
          query<readonly [string, number]>(
            `SELECT key, due_at FROM content_removals WHERE due_at <= ? ORDER BY due_at LIMIT ${removalsAtOnce}`,
            at
          ),
          (rows) => rows.map(([key, dueAt]): Removal => ({ key, dueAt }))
        )
      )
    ),

    /** Claims a removal. False if another process has claimed it, or it was cancelled. */
    claimRemoval: (removal: Removal, claimMs: number) => Effect.flatMap(now, (at) => reschedule(removal, at + claimMs)),

    forgetRemoval: (key: string) => query("DELETE FROM content_removals WHERE key = ?", key)
  }
}

type RemovedRow = readonly [sha256: string | null]

export type FileRows = ReturnType<typeof fileRows>
