import type { Instant } from "@tapedeck/domain"
import { claimedUpload, isLeased, type ResumableUpload, type UploadPiece } from "@tapedeck/domain/internal/files"
import { Effect, Stream } from "effect"
import { now } from "../../now.ts"
import type { Caller } from "../../people/Caller.ts"
import { storeContext, storeOf } from "../../store/Store.ts"
import { VideoUploads } from "../VideoUploads.ts"
import { refused } from "./errors.ts"

/** Lease of a claim to complete an upload. */
const leaseMs = 60_000

export const idsOf = (pieces: ReadonlyArray<UploadPiece>) => pieces.map(({ fileId }) => fileId)

/** Number of pieces that are removed in one transaction: each in one of its own would wait for the disk as often. */
const removedAtOnce = 100

/**
 * Removes the pieces of an upload with their files, some in each transaction. If the process ends in between, the sweep of expired uploads
 * removes the others.
 */
const removePieces = Effect.fnUntraced(function* (id: string) {
  const { files, transaction, uploads } = yield* storeOf("files", "transaction", "uploads")
  const some = Effect.gen(function* () {
    const pieces = yield* uploads.pieces(id, removedAtOnce)
    const last = pieces.at(-1)
    if (last === undefined) return false
    yield* uploads.removePieces(id, last.start)
    yield* Effect.forEach(pieces, ({ fileId }) => files.remove(fileId), { discard: true })
    return true
  })
  // Not `repeat`, which sleeps between runs: nothing sleeps in virtual time.
  while (yield* transaction(some));
})

/** Removes an upload with its pieces, unless a process is completing it. Returns whether it is removed. */
export const dropUpload = Effect.fnUntraced(function* (id: string) {
  const { transaction, uploads } = yield* storeOf("transaction", "uploads")
  // It takes no more pieces, and the sweep finds it if the process ends in between.
  const ended = Effect.gen(function* () {
    const upload = yield* uploads.byId(id)
    const at = yield* now
    if (upload === undefined || isLeased(upload, at)) return upload === undefined
    const expiresAt = Math.min(at, upload.expiresAt) as Instant
    yield* uploads.save({ ...upload, isComplete: true, expiresAt })
    return true
  })
  if (!(yield* transaction(ended))) return false
  yield* removePieces(id)
  yield* uploads.remove(id)
  return true
})

const claim = Effect.fnUntraced(function* (id: string) {
  const { uploads } = yield* storeOf("uploads")
  const at = yield* now
  const upload = yield* uploads.byId(id)
  if (upload !== undefined && !upload.isComplete && isLeased(upload, at)) return yield* refused("busy")
  const claimed = upload && claimedUpload(upload, at, (at + leaseMs) as Instant)
  if (claimed !== undefined) yield* uploads.save(claimed)
  return claimed
})

/** Changes an upload that the claim still holds. Inside the transaction. */
const saveHeld = Effect.fnUntraced(function* ({ fence, id }: ResumableUpload, change: Partial<ResumableUpload>) {
  const { uploads } = yield* storeOf("uploads")
  const upload = yield* uploads.byId(id)
  if (upload === undefined || upload.isComplete || upload.fence !== fence) return yield* refused("busy")
  yield* uploads.save({ ...upload, ...change })
})

/** The bytes of all pieces. Reading them renews the claim. */
const joined = Effect.fnUntraced(function* (claimed: ResumableUpload, pieces: ReadonlyArray<UploadPiece>) {
  const store = yield* storeOf("files", "transaction", "uploads")
  const context = storeContext(store)
  let renewedAt: number = yield* now
  const renew = Effect.gen(function* () {
    const at = yield* now
    if (at - renewedAt < leaseMs / 3) return
    yield* store.transaction(saveHeld(claimed, { leasedUntil: (at + leaseMs) as Instant }))
    renewedAt = at
  })
  const read = Effect.fnUntraced(function* ({ fileId, sizeBytes }: UploadPiece) {
    yield* renew
    const bytes = yield* store.files.read(fileId, 0, sizeBytes)
    if (bytes !== undefined) return bytes
    // Another process may have completed or removed the upload.
    yield* saveHeld(claimed, {})
    return yield* Effect.die(new Error(`piece ${fileId} of upload ${claimed.id} is missing`))
  })
  const all = Stream.flatMap(Stream.fromIterable(pieces), (piece) => Stream.unwrap(read(piece)))
  return Stream.provideContext(all, context)
})

/** Makes an upload whose bytes are all there the recording's original. An upload that is refused permanently is removed. */
export const completeUpload = Effect.fnUntraced(function* (caller: Caller, id: string) {
  const store = yield* storeOf("files", "transaction", "uploads")
  const videos = yield* VideoUploads
  const claimed = yield* store.transaction(claim(id))
  if (claimed === undefined) return
  const pieces = yield* store.uploads.pieces(id)
  const settle = Effect.provideContext(saveHeld(claimed, { isComplete: true, leasedUntil: null }), storeContext(store))
  const file = { bytes: yield* joined(claimed, pieces), contentType: claimed.contentType, settle }
  const release = Effect.ignoreCause(store.transaction(saveHeld(claimed, { leasedUntil: null })))
  yield* videos.upload(caller, claimed.recordingUuid, file).pipe(
    Effect.onError(() => release),
    Effect.tapError(({ _tag }) =>
      // The upload can be completed when there is space, in another session of its user, or by the process that claimed it.
      ["StorageFull", "Unauthenticated", "ResumableUploadRefused"].includes(_tag) ? Effect.void : dropUpload(id)
    )
  )
  yield* removePieces(id)
}, Effect.uninterruptible)
