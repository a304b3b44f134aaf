import { createHash, randomUUID } from "node:crypto"
import { type FileContent, type FileRepository, readMadeUp } from "@tapedeck/core"
import type { Recording, RecordingUuid } from "@tapedeck/domain"
import { Clock, type Duration, Effect, Stream } from "effect"
import type { Owner, Received } from "../../files/Bytes.ts"
import { newContentKey } from "../../files/contentKey.ts"
import type { FileBytes } from "../../files/FileBytes.ts"
import type { Database } from "../database/Database.ts"
import { inBatches } from "../database/inBatches.ts"
import { Collector } from "./Collector.ts"
import { OpenReads } from "./OpenReads.ts"
import { type FileRow, fileRows, type Removal } from "./rows.ts"

/** The files of recordings and users. */
export interface Files {
  readonly repository: FileRepository
  /** Attaches the files of a recording, and detaches those that it no longer has. Belongs inside the transaction that saves it. */
  readonly attach: (recording: Recording) => Effect.Effect<void>
  /** Attaches a user's picture. Belongs inside the transaction that saves the user. */
  readonly attachFile: (id: string) => Effect.Effect<void>
  /** Detaches the files of a recording. Belongs inside the transaction that removes it. */
  readonly detach: (uuid: RecordingUuid) => Effect.Effect<void>
  /** Removes unused content. This also happens at start and after files are removed. */
  readonly sweep: Effect.Effect<void>
}

/**
 * Files on a database and `FileBytes`. The bytes are durable before the row that refers to them is committed, and are removed
 * after the removal of that row is committed (`files/Collector.ts`). A start removes what a crash left.
 */
export const makeFiles = Effect.fnUntraced(function* (database: Database, allBytes: FileBytes["Service"]) {
  const bytes = outsideTransactions(allBytes, database)
  const rows = fileRows(database, yield* Clock.Clock)
  const collector = new Collector({ bytes, database, rows })
  const reads = new OpenReads(collector.readEnded)
  const afterCommit = database.afterCommit(collector.wake)

  const put = (id: string, row: FileRow, options: Parameters<typeof rows.put>[2]) =>
    database.write(Effect.tap(rows.put(id, row, options), afterCommit))

  /** Stores the caller's own copy, runs `use`, and removes the copy if that fails. */
  const withOwnCopy = <A>(received: Received, use: (own: Removal) => Effect.Effect<A>): Effect.Effect<A> =>
    Effect.flatMap(rows.ownCopy(newContentKey(received.sha256)), (own) =>
      Effect.andThen(
        database.autocommit(rows.schedule(own)),
        Effect.onError(Effect.andThen(bytes.place(received, own.key), use(own)), () =>
          Effect.ignoreCause(database.autocommit(rows.abandon(own)))
        )
      )
    )

  const storeReceived = (id: string, received: Received, isUnattached: boolean) =>
    Effect.gen(function* () {
      const isStored = yield* database.read(rows.isStored(received.sha256))
      if (isStored && (yield* put(id, received, { isUnattached }))) return
      yield* withOwnCopy(received, (own) => put(id, received, { isUnattached, own }))
    })

  const store = <E, R>(id: string, stream: Stream.Stream<Uint8Array, E, R>, isUnattached: boolean) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(bytes.receive(stream)), (received) =>
        restore(storeReceived(id, received, isUnattached)).pipe(
          Effect.ensuring(bytes.drop(received)),
          Effect.as(received.sizeBytes)
        )
      )
    )

  /** Adds a file whose content is stored already; dies if it is not. Belongs inside a transaction. */
  const refer = Effect.fnUntraced(function* (id: string, content: Uint8Array) {
    const isStored = yield* put(id, { sha256: sha256Of(content), sizeBytes: content.length }, { isUnattached: false })
    if (!isStored) return yield* Effect.die(contentInTransaction())
  })

  const add = Effect.fnUntraced(function* (files: ReadonlyMap<string, FileContent>) {
    const hashes = new Map<Uint8Array, string>()
    const hashOf = (bytes: Uint8Array) => {
      const known = hashes.get(bytes) ?? sha256Of(bytes)
      hashes.set(bytes, known)
      return known
    }
    const byContent = Map.groupBy(files, ([, content]) =>
      content.kind === "bytes" ? hashOf(content.bytes) : content.sizeBytes
    )
    for (const [key, same] of byContent) {
      const [, content] = same[0]!
      const row =
        content.kind === "bytes"
          ? { sha256: String(key), sizeBytes: content.bytes.length }
          : { sha256: null, sizeBytes: content.sizeBytes }
      const ids = same.map(([id]) => id)
      if (!(yield* rows.add(ids, row))) return yield* Effect.die(contentInTransaction())
    }
  })

  const save = (id: string, content: FileContent): Effect.Effect<void> =>
    content.kind === "bytes"
      ? Effect.withFiber((fiber) =>
          database.isInTransaction(fiber)
            ? refer(id, content.bytes)
            : Effect.asVoid(store(id, Stream.succeed(content.bytes), false))
        )
      : Effect.asVoid(put(id, { sha256: null, sizeBytes: content.sizeBytes }, { isUnattached: false }))

  const read = (id: string, start: number, length: number) =>
    reads.lookUp(
      Effect.map(database.read(rows.find(id)), (row) => {
        if (row === undefined) return undefined
        if (row.sha256 === null || row.key === null) return readMadeUp(row.sizeBytes, start, length)
        return reads.stream(row.key, bytes.read(row.key, start, Math.min(length, row.sizeBytes - start)))
      })
    )

  const removeUnattached = (isAlone: boolean) =>
    inBatches(database.readCommitted(Effect.tap(rows.removeUnattached(isAlone), afterCommit)))
  const logged = (effect: Effect.Effect<void>) =>
    Effect.catchCause(effect, (cause) => Effect.logWarning("Unused files could not be searched for", cause))

  const claim = bytes.claim(ownerOf(database))
  /** Searches only while no other owner has taken the bucket or the directory. */
  const findOrphans = Effect.andThen(claim, collector.findOrphans)

  yield* claim
  // Unused content is scheduled before any file refers to it: a backup has the row of unused content, but not its bytes.
  yield* collector.scheduleUnused
  if (!database.peers.isPossible) {
    // The last process left all unattached and temporary files.
    yield* bytes.clean
    yield* database.write(rows.hastenAll)
    yield* removeUnattached(true)
  }
  const repeat = (search: Effect.Effect<void>, interval: Duration.Input) =>
    Effect.forkScoped(Effect.forever(Effect.andThen(logged(search), Effect.sleep(interval))))
  yield* Effect.forkScoped(collector.run(reads))
  yield* repeat(findOrphans, "1 day")
  yield* repeat(Effect.andThen(bytes.abortStale, removeUnattached(false)), "1 hour")

  const files: Files = {
    repository: {
      save,
      add: (files) => database.write(add(files)),
      write: (id, stream) => store(id, stream, true),
      discard: (id) => database.write(Effect.andThen(rows.discard(id), afterCommit)),
      attach: (id) => Effect.asVoid(database.write(rows.attachFile(id))),
      remove: (id) => database.write(Effect.andThen(rows.remove(id), afterCommit)),
      read
    },
    attach: (recording) => database.write(rows.attach(recording)),
    attachFile: (id) => Effect.asVoid(database.write(rows.attachFile(id))),
    detach: (uuid) => Effect.asVoid(database.write(rows.detach(uuid))),
    sweep: Effect.andThen(findOrphans, collector.collect(reads))
  }
  return files
})

/**
 * Content is stored, read and removed outside of transactions: a request to a bucket would keep a connection to the database, and
 * locks, for as long as it takes, and a transaction may end before the request does.
 */
const outsideTransactions = (bytes: FileBytes["Service"], { isInTransaction }: Database): FileBytes["Service"] => {
  const outside = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => (isInTransaction(fiber) ? Effect.die(contentInTransaction()) : effect))
  return {
    ...bytes,
    receive: (stream) => outside(bytes.receive(stream)),
    place: (received, key) => outside(bytes.place(received, key)),
    read: (key, start, length) => outside(bytes.read(key, start, length)),
    remove: (key) => outside(bytes.remove(key))
  }
}

const sha256Of = (content: Uint8Array) => createHash("sha256").update(content).digest("hex")

const contentInTransaction = () =>
  new Error("Content is neither read nor written inside a transaction: write it to a file before")

/** The id is made once, and kept: a database that is restored from a backup gets another (`sqlite/snapshot.ts`). */
const ownerOf = ({ identity, query, read, write }: Database): Effect.Effect<Owner> =>
  Effect.zipWith(
    write(
      Effect.gen(function* () {
        yield* query(
          "INSERT INTO meta (name, value) VALUES ('installation', ?) ON CONFLICT (name) DO NOTHING",
          randomUUID()
        )
        const [row] = yield* query<readonly [string]>("SELECT value FROM meta WHERE name = 'installation'")
        return row?.[0] ?? ""
      })
    ),
    read(identity),
    (installation, database) => ({ installation, database })
  )
