import {
  type CaptureClaim,
  CaptureSessions,
  CaptureStarts,
  CaptureUploads,
  defaultServiceConfig,
  Ids,
  jobLeaseMs,
  MediaJobs,
  ServiceConfig,
  type Store,
  settingsUseCases,
  storeLayer,
  storeOf,
  TestSender,
  UploadPolicy,
  useCases,
  Vault
} from "@tapedeck/core"
import type { Capture } from "@tapedeck/domain/capture"
import { CaptureInput, FinishInput } from "@tapedeck/domain/input"
import { aFolder, anAccount, aToken, aUser } from "@tapedeck/testkit/samples"
import { Effect, Layer, Redacted, Stream } from "effect"
import { inputOf } from "./inputOf.ts"

/** The end of a capture of which nothing is said. */
export const noTexts = inputOf(FinishInput, {})

export const minuteMs = 60_000
export const idleMs = 10 * minuteMs

const token = aToken("t", 1)
export const [account, user] = [anAccount(1), aUser(1)]
export const caller = { account, user, tokenId: token.id, kind: "access" } as const

const ports = (config: Partial<ServiceConfig["Service"]>) =>
  Layer.mergeAll(
    Ids.layerRandom,
    Layer.succeed(ServiceConfig, { ...defaultServiceConfig, ...config }),
    Layer.succeed(UploadPolicy, { unknownContent: "refused" }),
    Layer.succeed(TestSender, { send: () => Effect.die(new Error("nothing is sent")) }),
    Vault.layer(Redacted.make(new Uint8Array(32).fill(7)))
  )

/** A process on the store: its use cases. */
export const process = (store: Store, config: Partial<ServiceConfig["Service"]> = {}) =>
  Layer.mergeAll(settingsUseCases, MediaJobs.layer).pipe(
    Layer.provideMerge(useCases),
    Layer.provide(ports(config)),
    Layer.provideMerge(storeLayer(store))
  )

/** The account with a folder, and a capture for it whose link's title is "Show us". */
export const begun = (store: Store) =>
  Effect.gen(function* () {
    yield* store.accounts.save(account)
    yield* store.users.save(user)
    yield* store.tokens.save(token)
    for (const id of ["vip", "bugs"]) yield* store.folders.save(aFolder(id))
    return yield* begin
  })

export const begin = Effect.gen(function* () {
  const { beginByAgent } = yield* CaptureStarts
  const { capture } = yield* beginByAgent(caller, inputOf(CaptureInput, { folder_id: "vip", title: "Show us" }))
  return capture
})

export const film = Effect.fnUntraced(function* ({ id }: Capture, bytes: ReadonlyArray<Buffer>, part = 0) {
  const { append, createUpload } = yield* CaptureUploads
  const upload = yield* createUpload(id, { contentType: "video/webm", metadata: "", part, sizeBytes: null })
  let offset = upload.offset
  for (const piece of bytes) {
    offset = yield* append({ captureId: id, uploadId: upload.id, offset, bytes: Stream.make(piece) })
  }
  return upload.id
})

export const mark = { seq: 0, t: 0, kind: "mark", text: "of the customer" }

export const recordingOf = (store: Store, { recordingUuid }: Capture) => store.recordings.byUuid(recordingUuid)

/** Runs what is due of captures. */
export const runDue = Effect.gen(function* () {
  const { jobs } = yield* storeOf("jobs")
  const { runJob } = yield* CaptureSessions
  const claims = yield* jobs.claim({ slots: { capture: 20 }, leaseMs: jobLeaseMs })
  for (const claim of claims) yield* runJob(claim as CaptureClaim)
})

/** A store that counts and holds reads of files: each waits for what `meanwhile` returns for its number, from 1. */
export const watched = (store: Store, meanwhile: (read: number) => Effect.Effect<void> = () => Effect.void) => {
  const counts = { reads: 0, writes: 0 }
  const files: Store["files"] = {
    ...store.files,
    read: (...asked) =>
      Effect.suspend(() => {
        counts.reads += 1
        return Effect.andThen(meanwhile(counts.reads), store.files.read(...asked))
      }),
    write: (...asked) =>
      Effect.suspend(() => {
        counts.writes += 1
        return store.files.write(...asked)
      })
  }
  return { counts, store: { ...store, files } }
}

/** The task of a process. */
export type UseCases = Layer.Success<ReturnType<typeof process>>
