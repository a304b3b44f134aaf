import { randomUUID } from "node:crypto"
import { type FileContent, type FileRepository, readMadeUp } from "@tapedeck/core"
import type { Recording, RecordingUuid } from "@tapedeck/domain"
import { Effect, Stream } from "effect"
import type { Received } from "../files/Bytes.ts"
import type { FileBytes } from "../files/FileBytes.ts"
import type { Database } from "./Database.ts"
import { Collector } from "./files/Collector.ts"
import { PendingReads } from "./files/PendingReads.ts"
import { fileRows } from "./files/rows.ts"
import { removeUnattached } from "./files/unattachedFiles.ts"

/** The files of recordings and users. */
export interface Files {
  readonly repository: FileRepository
  /** In the transaction that saves a recording: attaches its files, and detaches those that it no longer has. */
  readonly attach: (recording: Recording) => Effect.Effect<void>
  /** In the transaction that saves a user with a picture. */
  readonly attachFile: (id: string) => Effect.Effect<void>
  /** In the transaction that removes a recording. */
  readonly detach: (uuid: RecordingUuid) => Effect.Effect<void>
  /** Removes unused content. This also happens at start and after files are removed. */
  readonly sweep: Effect.Effect<void>
}

/**
 * Files on a database and `FileBytes`. The bytes are durable before the row that refers to them is committed, and are removed
 * after the removal of that row is committed (`files/Collector.ts`). A start removes what a crash left.
 */
export const makeFiles = Effect.fnUntraced(function* (database: Database, bytes: FileBytes["Service"]) {
  const rows = fileRows(database)
  const collector = new Collector({ bytes, database, rows })
  const reads = new PendingReads(collector.readEnded)
  const inTransaction = <A>(body: Effect.Effect<A>) => database.transaction(body)
  const afterCommit = database.afterCommit(collector.wake)

  const put = (id: string, received: Received, isUnattached: boolean) =>
    Effect.gen(function* () {
      yield* Effect.orDie(rows.put(id, received, isUnattached))
      // It is placed now, and its row is committed later.
      collector.uncommitted.add(received.sha256)
      yield* bytes.place(received)
      yield* database.afterCommit(() => void collector.uncommitted.delete(received.sha256))
      yield* afterCommit
    })

  const store = <E, R>(id: string, stream: Stream.Stream<Uint8Array, E, R>, isUnattached: boolean) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(bytes.receive(stream)), (received) =>
        inTransaction(put(id, received, isUnattached)).pipe(
          Effect.onError(() => Effect.sync(collector.wake)),
          Effect.ensuring(bytes.drop(received)),
          Effect.as(received.sizeBytes)
        )
      )
    )

  const save = (id: string, content: FileContent): Effect.Effect<void> =>
    content.kind === "bytes"
      ? Effect.asVoid(store(id, Stream.succeed(content.bytes), false))
      : database.write(Effect.andThen(rows.put(id, { sha256: null, sizeBytes: content.sizeBytes }, false), afterCommit))

  const read = (id: string, start: number, length: number) =>
    reads.lookUp(
      Effect.map(database.read(rows.find(id)), (row) => {
        if (row === undefined) return undefined
        if (row.sha256 === null) return readMadeUp(row.sizeBytes, start, length)
        return reads.stream(row.sha256, bytes.read(row.sha256, start, Math.min(length, row.sizeBytes - start)))
      })
    )

  yield* bytes.claim(installationOf(database))
  if (!database.peers.isPossible) {
    // Before anything is written: the last process left all unattached and temporary files.
    yield* bytes.clean
    yield* database.write(rows.removeUnattached())
  } else {
    yield* Effect.forkScoped(removeUnattached(database, rows, afterCommit))
  }
  yield* Effect.forkScoped(collector.run(reads))
  yield* Effect.forkScoped(
    Effect.catchCause(collector.findOrphans, (cause) => Effect.logWarning("Orphaned files could not be found", cause))
  )

  const files: Files = {
    repository: {
      save,
      write: (id, stream) => store(id, stream, true),
      attach: (id) => Effect.asVoid(database.write(rows.attachFile(id))),
      remove: (id) => database.write(Effect.andThen(rows.remove(id), afterCommit)),
      read
    },
    attach: (recording) => database.write(rows.attach(recording)),
    attachFile: (id) => Effect.asVoid(database.write(rows.attachFile(id))),
    detach: (uuid) => Effect.asVoid(database.write(rows.detach(uuid))),
    sweep: Effect.andThen(collector.findOrphans, collector.collect(reads))
  }
  return files
})

/** The database's id, which it keeps when it is restored elsewhere or gets another key. */
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
