import { gzipSync } from "node:zlib"
import {
  AccessTokens,
  type CancelProgress,
  Ids,
  joinLog,
  leaveRemovedFolders,
  pruneAuditEntries,
  pruneDeliveries,
  type Store,
  sealAuditEntries,
  storeContext,
  Vault
} from "@tapedeck/core"
import { AutomationId, FolderId, Instant, type Recording, UserId } from "@tapedeck/domain"
import { type Capture, noLogUse } from "@tapedeck/domain/capture"
import { loadStartDocument } from "@tapedeck/fixtures"
import { aDelivery, anAccount, anAuditEntry, aRecording, startInstant, uuidOf } from "@tapedeck/testkit/samples"
import { Effect, Layer, Redacted, Stream } from "effect"
import { header } from "../../src/support/captures.ts"

/** An operation on as many rows as its data has. */
export interface BulkOperation {
  readonly name: string
  /** Undefined: it is one transaction, for this reason. Else it is made of transactions of limited size. */
  readonly oneTransactionBecause?: string
  /** Writes the data, in transactions of any size. */
  readonly seed: (store: Store, rows: number) => Effect.Effect<unknown>
  readonly run: (store: Store, rows: number) => Effect.Effect<unknown>
}

const services = AccessTokens.layer.pipe(
  Layer.provideMerge(Layer.merge(Vault.layer(Redacted.make(new Uint8Array(32).fill(7))), Ids.layerRandom))
)

const eachOf = (rows: number, write: (index: number) => Effect.Effect<unknown>) =>
  Effect.forEach(Array.from({ length: rows }).keys(), write, { discard: true })

/** Two owners, and every tenth recording is of an earlier time. */
export const recordingsOf = (rows: number): ReadonlyArray<Recording> =>
  Array.from({ length: rows }, (_, index) =>
    aRecording(index + 1, {
      ownerId: UserId.make(11 + (index % 2)),
      folderId: FolderId.make("vip"),
      createdAt: Instant.make(startInstant + (index % 10 === 0 ? index * 500 : index * 1_000))
    })
  )

/** All recordings have the same. */
const videoBytes = Buffer.from("a video")

const documentOf = (rows: number) => ({
  account: { name: "Acme" },
  users: [{ email: "ada@acme.test", name: "Ada" }],
  folders: [{ id: "vip", name: "VIP" }],
  recordings: Array.from({ length: rows }, (_, index) => ({
    title: `Checkout fails (${index})`,
    user: "ada@acme.test",
    folder: "vip",
    created_at: new Date(Date.UTC(2025, 0, 2) + (index % 10 === 0 ? index - 1440 : index) * 60_000).toISOString(),
    video: { original: { base64: videoBytes.toString("base64"), content_type: "video/webm" } },
    transcript: { segments: [{ start_seconds: 0, text: "It fails." }] }
  }))
})

const automationId = AutomationId.make("crm")

const deliveriesOf = (store: Store, rows: number, state: Parameters<typeof aDelivery>[1]) =>
  store.transaction(
    eachOf(rows, (index) => store.deliveries.insert(aDelivery(`d${index}`, { automationId, ...state })))
  )

const auditEntriesOf = (store: Store, rows: number) =>
  store.transaction(
    Effect.andThen(
      store.accounts.save(anAccount(1)),
      eachOf(rows, () =>
        Effect.flatMap(store.nextNumber("audit_entry"), (id) => store.auditEntries.append(anAuditEntry(id)))
      )
    )
  )

const linked = (store: Store) => {
  const all = Effect.gen(function* () {
    while ((yield* sealAuditEntries).size > 0) yield* Effect.yieldNow
  })
  return all.pipe(Effect.provide(services), Effect.provide(storeContext(store)), Effect.orDie)
}

const cancelled = Effect.fnUntraced(function* (store: Store) {
  let progress: CancelProgress | null = null
  do {
    const next: CancelProgress | null = yield* store.deliveries.cancelOf(
      { automationId },
      { at: startInstant, limit: 100, progress }
    )
    progress = next
  } while (progress !== null)
})

const capture: Capture = {
  id: "a",
  accountId: anAccount(1).id,
  recordingUuid: uuidOf(1),
  title: null,
  linkId: null,
  siteId: null,
  folderId: null,
  state: "open",
  beganAt: startInstant,
  expiresAt: startInstant,
  maxBytes: 100,
  receivedBytes: 0,
  uploads: [],
  streams: [{ name: "main", seen: [] }],
  use: noLogUse,
  redactions: {},
  lastPiece: 0,
  videoPieces: 0,
  pairings: 0
}

const packed = (...lines: ReadonlyArray<unknown>) =>
  gzipSync(lines.map((line) => JSON.stringify(line)).join("\n")).toString("base64")

const later = 9e15 as Instant

export const bulkOperations: ReadonlyArray<BulkOperation> = [
  {
    name: "the load of a start document",
    oneTransactionBecause: "it is loaded as a whole or not at all (emulator.md, Start document)",
    seed: (store) => store.files.write("video", Stream.succeed(videoBytes)),
    run: (store, rows) =>
      loadStartDocument(documentOf(rows), { vendor: "Tapedeck", allowHttp: false }).pipe(
        Effect.provide(services),
        Effect.provide(storeContext(store)),
        Effect.orDie
      )
  },
  {
    name: "the end of a folder",
    seed: (store, rows) => store.recordings.add(recordingsOf(rows)),
    run: (store) => Effect.provide(leaveRemovedFolders, storeContext(store))
  },
  {
    name: "the retention of deliveries",
    seed: (store, rows) => deliveriesOf(store, rows, { state: { _tag: "Delivered", at: startInstant } }),
    run: (store) => Effect.provide(pruneDeliveries(later), storeContext(store))
  },
  {
    name: "the cancellation of a receiver's deliveries",
    seed: (store, rows) => deliveriesOf(store, rows, {}),
    run: cancelled
  },
  { name: "the linking of audit entries", seed: auditEntriesOf, run: linked },
  {
    name: "the retention of audit entries",
    seed: (store, rows) => Effect.andThen(auditEntriesOf(store, rows), linked(store)),
    run: (store) =>
      pruneAuditEntries(later).pipe(Effect.provide(services), Effect.provide(storeContext(store)), Effect.orDie)
  },
  {
    name: "the join of a log",
    oneTransactionBecause:
      "the pieces of a log, which is limited, are removed by one statement with the end of its capture",
    seed: (store, rows) =>
      store.transaction(
        Effect.andThen(
          store.captures.save(capture),
          eachOf(rows, (index) => {
            const event = { seq: index, t: index, kind: "mark", text: "here" }
            const lines = index === 0 ? packed(header, event) : packed(event)
            return store.captures.addPiece(capture.id, { kind: "log", sequence: index + 1, stream: "main", lines })
          })
        )
      ),
    run: (store) =>
      Effect.andThen(Effect.provide(joinLog(capture), storeContext(store)), store.captures.removePieces(capture.id))
  },
  {
    name: "the write of a transcript",
    oneTransactionBecause: "a transcript is replaced as a whole; its segments are limited",
    seed: (store) => store.recordings.add(recordingsOf(1)),
    run: (store, rows) =>
      store.recordingParts.save(recordingsOf(1)[0]!.id, {
        edited: Array.from({ length: rows }, (_, index) => ({
          startSeconds: index,
          endSeconds: index + 1,
          text: "It fails.",
          sentences: []
        }))
      })
  }
]
