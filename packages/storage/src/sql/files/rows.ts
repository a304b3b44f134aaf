import { filesOf, type Recording, type RecordingUuid } from "@tapedeck/domain"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "../Database.ts"
import { inList } from "../statements.ts"

/** A file's content, by its hash; null for generated content of that size. */
export interface FileRow {
  readonly sha256: string | null
  readonly sizeBytes: number
}

export const maxLookups = 200

const knownAmong = `SELECT sha256 FROM file_contents WHERE sha256 IN (${Array(maxLookups).fill("?").join(", ")})`

/** The rows of files and contents. Call all of these inside a transaction. */
export const fileRows = ({ dialect, query }: Pick<Database, "dialect" | "query">) => {
  const find = (id: string): Effect.Effect<FileRow | undefined, SqlError> =>
    Effect.map(
      query<readonly [string | null, number]>("SELECT sha256, size_bytes FROM files WHERE id = ?", id),
      ([row]) => (row === undefined ? undefined : { sha256: row[0], sizeBytes: row[1] })
    )

  /** Removes one reference. Any change unmarks the content: `markUnused` checks it again. */
  const release = (sha256: string | null | undefined) =>
    sha256 === null || sha256 === undefined
      ? Effect.void
      : query("UPDATE file_contents SET refs = refs - 1, marked = 0 WHERE sha256 = ?", sha256)

  return {
    find,

    /** Replaces the content of an existing file, and keeps its recording. */
    put: Effect.fnUntraced(function* (id: string, { sha256, sizeBytes }: FileRow, isUnattached: boolean) {
      const before = yield* find(id)
      if (sha256 !== null) {
        yield* query(
          `INSERT INTO file_contents (sha256, size_bytes, refs, marked) VALUES (?, ?, 1, 0)
            ON CONFLICT (sha256) DO UPDATE
            SET size_bytes = excluded.size_bytes, refs = file_contents.refs + 1, marked = 0`,
          sha256,
          sizeBytes
        )
      }
      yield* query(
        `INSERT INTO files (id, sha256, size_bytes, unattached) VALUES (?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET sha256 = excluded.sha256, size_bytes = excluded.size_bytes`,
        id,
        sha256,
        sizeBytes,
        isUnattached ? 1 : 0
      )
      yield* release(before?.sha256)
    }),

    remove: (id: string) =>
      Effect.flatMap(query<readonly [string | null]>("DELETE FROM files WHERE id = ? RETURNING sha256", id), ([row]) =>
        release(row?.[0])
      ),

    /** Attaches the recording's files to it, and detaches those that it no longer has. */
    attach: Effect.fnUntraced(function* ({ uuid, video }: Recording) {
      const ids = filesOf(video).map(({ fileId }) => fileId)
      const { marks, values } = inList(["", ...ids])
      yield* query(`UPDATE files SET unattached = 1 WHERE recording_uuid = ? AND id NOT IN ${marks}`, uuid, ...values)
      if (ids.length === 0) return
      yield* query(`UPDATE files SET recording_uuid = ?, unattached = 0 WHERE id IN ${marks}`, uuid, ...values)
    }),

    attachFile: (id: string) => query("UPDATE files SET unattached = 0 WHERE id = ?", id),

    detach: (uuid: RecordingUuid) => query("UPDATE files SET unattached = 1 WHERE recording_uuid = ?", uuid),

    removeUnattached: Effect.fnUntraced(function* () {
      const removed = yield* query<readonly [string | null]>("DELETE FROM files WHERE unattached = 1 RETURNING sha256")
      for (const [sha256] of removed) yield* release(sha256)
      return removed.length
    }),

    unattached: Effect.suspend(() =>
      Effect.map(query<readonly [string]>("SELECT id FROM files WHERE unattached = 1"), (found) =>
        found.map(([id]) => id)
      )
    ),

    removeIfUnattached: (id: string) =>
      Effect.flatMap(
        query<readonly [string | null]>("DELETE FROM files WHERE id = ? AND unattached = 1 RETURNING sha256", id),
        ([row]) => release(row?.[0])
      ),

    /** Adds content that may have no row, so that it can be marked. The next file that refers to it sets its size. */
    addUnused: (sha256: string) =>
      query(
        `INSERT INTO file_contents (sha256, size_bytes, refs, marked) VALUES (?, 0, 0, 0)
          ON CONFLICT (sha256) DO NOTHING`,
        sha256
      ),

    /** Those of these contents that have no row; at most `maxLookups` contents. */
    withoutRow: (contents: ReadonlyArray<string>) =>
      Effect.map(
        query<readonly [string]>(knownAmong, ...contents, ...Array<string>(maxLookups - contents.length).fill("")),
        (rows) => {
          const known = new Set(rows.map(([sha256]) => sha256))
          return contents.filter((sha256) => !known.has(sha256))
        }
      ),

    hasUnused: Effect.suspend(() =>
      Effect.map(query("SELECT 1 FROM file_contents WHERE refs = 0 LIMIT 1"), (rows) => rows.length > 0)
    ),

    markUnused: Effect.suspend(() => query("UPDATE file_contents SET marked = 1 WHERE refs = 0 AND marked = 0")),

    /** Marked contents, locked until the transaction ends. */
    marked: Effect.suspend(() =>
      Effect.map(
        query<readonly [string]>(`SELECT sha256 FROM file_contents WHERE refs = 0 AND marked = 1${dialect.forUpdate}`),
        (rows) => rows.map(([sha256]) => sha256)
      )
    ),

    removeContent: (sha256: string) => query("DELETE FROM file_contents WHERE sha256 = ?", sha256)
  }
}

export type FileRows = ReturnType<typeof fileRows>
