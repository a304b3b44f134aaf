import type { Recording, RecordingUuid } from "@tapedeck/domain"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "../Database.ts"

/** What a file has: content by its hash, or so many made-up bytes. */
export interface FileRow {
  readonly sha256: string | null
  readonly sizeBytes: number
}

export const askedAtOnce = 200

const knownAmong = `SELECT sha256 FROM file_contents WHERE sha256 IN (${Array(askedAtOnce).fill("?").join(", ")})`

/** The rows of files and contents; each is part of the transaction that it is called in. */
export const fileRows = ({ dialect, query }: Pick<Database, "dialect" | "query">) => {
  const find = (id: string): Effect.Effect<FileRow | undefined, SqlError> =>
    Effect.map(
      query<readonly [string | null, number]>("SELECT sha256, size_bytes FROM files WHERE id = ?", id),
      ([row]) => (row === undefined ? undefined : { sha256: row[0], sizeBytes: row[1] })
    )

  /** One file less has it. Whatever changes takes the sentence back: `condemn` looks again. */
  const release = (sha256: string | null | undefined) =>
    sha256 === null || sha256 === undefined
      ? Effect.void
      : query("UPDATE file_contents SET refs = refs - 1, condemned = 0 WHERE sha256 = ?", sha256)

  return {
    find,

    /** A file that is there already gets other content; whose it is stays. */
    put: Effect.fnUntraced(function* (id: string, { sha256, sizeBytes }: FileRow, loose: boolean) {
      const before = yield* find(id)
      if (sha256 !== null) {
        yield* query(
          `INSERT INTO file_contents (sha256, size_bytes, refs, condemned) VALUES (?, ?, 1, 0)
            ON CONFLICT (sha256) DO UPDATE
            SET size_bytes = excluded.size_bytes, refs = file_contents.refs + 1, condemned = 0`,
          sha256,
          sizeBytes
        )
      }
      yield* query(
        `INSERT INTO files (id, sha256, size_bytes, loose) VALUES (?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET sha256 = excluded.sha256, size_bytes = excluded.size_bytes`,
        id,
        sha256,
        sizeBytes,
        loose ? 1 : 0
      )
      yield* release(before?.sha256)
    }),

    remove: (id: string) =>
      Effect.flatMap(query<readonly [string | null]>("DELETE FROM files WHERE id = ? RETURNING sha256", id), ([row]) =>
        release(row?.[0])
      ),

    /** What the recording has is its own; what it had and has no more is loose. */
    keep: Effect.fnUntraced(function* ({ uuid, video: { edited, original, processed, thumbnail } }: Recording) {
      const ids = [original, processed, edited, thumbnail].map((file) => file?.fileId ?? "")
      yield* query("UPDATE files SET loose = 1 WHERE recording_uuid = ? AND id NOT IN (?, ?, ?, ?)", uuid, ...ids)
      if (ids.every((id) => id === "")) return
      yield* query("UPDATE files SET recording_uuid = ?, loose = 0 WHERE id IN (?, ?, ?, ?)", uuid, ...ids)
    }),

    keepFile: (id: string) => query("UPDATE files SET loose = 0 WHERE id = ?", id),

    letGo: (uuid: RecordingUuid) => query("UPDATE files SET loose = 1 WHERE recording_uuid = ?", uuid),

    removeLoose: Effect.fnUntraced(function* () {
      const removed = yield* query<readonly [string | null]>("DELETE FROM files WHERE loose = 1 RETURNING sha256")
      for (const [sha256] of removed) yield* release(sha256)
      return removed.length
    }),

    loose: Effect.suspend(() =>
      Effect.map(query<readonly [string]>("SELECT id FROM files WHERE loose = 1"), (found) => found.map(([id]) => id))
    ),

    removeIfLoose: (id: string) =>
      Effect.flatMap(
        query<readonly [string | null]>("DELETE FROM files WHERE id = ? AND loose = 1 RETURNING sha256", id),
        ([row]) => release(row?.[0])
      ),

    /** Content that is in its place and that may be nobody's: if so, it is on the list from now on. Who gets it knows its size. */
    suspect: (sha256: string) =>
      query(
        `INSERT INTO file_contents (sha256, size_bytes, refs, condemned) VALUES (?, 0, 0, 0)
          ON CONFLICT (sha256) DO NOTHING`,
        sha256
      ),

    /** Which of these contents no row knows; `askedAtOnce` of them at most. */
    unknownAmong: (contents: ReadonlyArray<string>) =>
      Effect.map(
        query<readonly [string]>(knownAmong, ...contents, ...Array<string>(askedAtOnce - contents.length).fill("")),
        (rows) => {
          const known = new Set(rows.map(([sha256]) => sha256))
          return contents.filter((sha256) => !known.has(sha256))
        }
      ),

    hasUnused: Effect.suspend(() =>
      Effect.map(query("SELECT 1 FROM file_contents WHERE refs = 0 LIMIT 1"), (rows) => rows.length > 0)
    ),

    condemn: Effect.suspend(() => query("UPDATE file_contents SET condemned = 1 WHERE refs = 0 AND condemned = 0")),

    /** Nobody gets it again until the transaction ends. */
    condemned: Effect.suspend(() =>
      Effect.map(
        query<readonly [string]>(
          `SELECT sha256 FROM file_contents WHERE refs = 0 AND condemned = 1${dialect.forUpdate}`
        ),
        (rows) => rows.map(([sha256]) => sha256)
      )
    ),

    forget: (sha256: string) => query("DELETE FROM file_contents WHERE sha256 = ?", sha256)
  }
}

export type FileRows = ReturnType<typeof fileRows>
