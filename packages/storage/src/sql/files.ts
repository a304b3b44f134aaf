import { randomUUID } from "node:crypto"
import { type FileContent, type FileRepository, readMadeUp } from "@tapedeck/core"
import type { Recording, RecordingUuid } from "@tapedeck/domain"
import { Effect, Stream } from "effect"
import type { Received } from "../files/Bytes.ts"
import type { FileBytes } from "../files/FileBytes.ts"
import type { Database } from "./Database.ts"
import { Collector } from "./files/Collector.ts"
import { removeLooseInTime } from "./files/looseFiles.ts"
import { Readings } from "./files/Readings.ts"
import { fileRows } from "./files/rows.ts"

/** The files of recordings and users, and what these have to tell them. */
export interface Files {
  readonly repository: FileRepository
  /** As a recording is saved, in the same transaction: its files are kept, those that it has no more are not. */
  readonly keep: (recording: Recording) => Effect.Effect<void>
  /** As what else has a file is saved, in the same transaction. */
  readonly keepFile: (id: string) => Effect.Effect<void>
  /** As a recording is removed, in the same transaction. */
  readonly letGo: (uuid: RecordingUuid) => Effect.Effect<void>
  /** Looks for content that no file has, and removes it. It happens by itself too: at start, and as files go. */
  readonly sweep: Effect.Effect<void>
}

/**
 * Files on a database and `FileBytes`. The bytes are on the disk before the row that speaks of them is committed, and go
 * after the row is gone for good (`files/Collector.ts`). At start, what a crash left is removed.
 */
export const makeFiles = Effect.fnUntraced(function* (database: Database, bytes: FileBytes["Service"]) {
  const rows = fileRows(database)
  const collector = new Collector({ bytes, database, rows })
  const readings = new Readings(collector.readingEnded)
  const inTransaction = <A>(body: Effect.Effect<A>) => database.transaction(body)
  const afterCommit = database.afterCommit(collector.wake)

  const put = (id: string, received: Received, loose: boolean) =>
    Effect.gen(function* () {
      yield* Effect.orDie(rows.put(id, received, loose))
      // From here on it is in its place; that a row knows of it is certain when this is committed.
      collector.suspects.add(received.sha256)
      yield* bytes.place(received)
      yield* database.afterCommit(() => void collector.suspects.delete(received.sha256))
      yield* afterCommit
    })

  const keepBytes = <E, R>(id: string, stream: Stream.Stream<Uint8Array, E, R>, loose: boolean) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(bytes.receive(stream)), (received) =>
        inTransaction(put(id, received, loose)).pipe(
          Effect.onError(() => Effect.sync(collector.wake)),
          Effect.ensuring(bytes.drop(received)),
          Effect.as(received.sizeBytes)
        )
      )
    )

  const save = (id: string, content: FileContent): Effect.Effect<void> =>
    content.kind === "bytes"
      ? Effect.asVoid(keepBytes(id, Stream.succeed(content.bytes), false))
      : database.write(Effect.andThen(rows.put(id, { sha256: null, sizeBytes: content.sizeBytes }, false), afterCommit))

  const read = (id: string, start: number, length: number) =>
    readings.lookUp(
      Effect.map(database.read(rows.find(id)), (row) => {
        if (row === undefined) return undefined
        if (row.sha256 === null) return readMadeUp(row.sizeBytes, start, length)
        return readings.hold(row.sha256, bytes.read(row.sha256, start, Math.min(length, row.sizeBytes - start)))
      })
    )

  if (bytes.claim !== undefined) yield* bytes.claim(yield* installationOf(database))
  if (database.others === undefined) {
    // Before anybody else writes: what is loose or has a temporary name now is what the last process left.
    yield* bytes.clean
    yield* database.write(rows.removeLoose())
  } else {
    yield* Effect.forkScoped(removeLooseInTime(database, rows, afterCommit))
  }
  yield* Effect.forkScoped(collector.run(readings))
  yield* Effect.forkScoped(
    Effect.catchCause(collector.findOrphans, (cause) => Effect.logWarning("Orphaned files were not looked for", cause))
  )

  const files: Files = {
    repository: {
      save,
      write: (id, stream) => keepBytes(id, stream, true),
      remove: (id) => database.write(Effect.andThen(rows.remove(id), afterCommit)),
      read
    },
    keep: (recording) => database.write(rows.keep(recording)),
    keepFile: (id) => Effect.asVoid(database.write(rows.keepFile(id))),
    letGo: (uuid) => Effect.asVoid(database.write(rows.letGo(uuid))),
    sweep: Effect.andThen(collector.findOrphans, collector.collect(readings))
  }
  return files
})

/** What tells this database from others, wherever it is restored to, and whatever becomes of its key. */
const installationOf = ({ query, write }: Database): Effect.Effect<string> =>
  write(
    Effect.gen(function* () {
      yield* query(
        "INSERT INTO meta (name, value) VALUES ('installation', ?) ON CONFLICT (name) DO NOTHING",
        randomUUID()
      )
      const [row] = yield* query<readonly [string]>("SELECT value FROM meta WHERE name = 'installation'")
      return row?.[0] ?? ""
    })
  )
