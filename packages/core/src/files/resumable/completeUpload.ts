import type { Instant } from "@tapedeck/domain"
import { claimedUpload, isLeased, type ResumableUpload, type UploadPiece } from "@tapedeck/domain/internal/files"
import { Effect, Stream } from "effect"
import { now } from "../../now.ts"
import type { Caller } from "../../people/Caller.ts"
import { storeContext, storeOf } from "../../store/Store.ts"
import { removePieceFiles } from "../pieces.ts"
import { VideoUploads } from "../VideoUploads.ts"
import { refused } from "./errors.ts"

/** Lease of a claim to complete an upload. */
const leaseMs = 30_000

export const idsOf = (pieces: ReadonlyArray<UploadPiece>) => pieces.map(({ fileId }) => fileId)

/** Removes an upload with its pieces, unless a process is completing it. Returns whether it is removed. */
export const dropUpload = Effect.fnUntraced(function* (id: string) {
  const store = yield* storeOf("transaction", "uploads")
  const removed = Effect.gen(function* () {
    const upload = yield* store.uploads.byId(id)
    if (upload === undefined) return []
    if (isLeased(upload, yield* now)) return undefined
    const pieces = yield* store.uploads.pieces(id)
    yield* store.uploads.remove(id)
    return pieces
  })
  const pieces = yield* store.transaction(removed)
  yield* removePieceFiles(idsOf(pieces ?? []))
  return pieces !== undefined
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
  let renewedAt: number | null = null
  const renew = Effect.gen(function* () {
    const at = yield* now
    renewedAt ??= at
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
  const settle = Effect.andThen(
    saveHeld(claimed, { isComplete: true, leasedUntil: null }),
    store.uploads.removePieces(id)
  ).pipe(Effect.provideContext(storeContext(store)))
  const file = { bytes: yield* joined(claimed, pieces), contentType: claimed.contentType, settle }
  const release = Effect.ignoreCause(store.transaction(saveHeld(claimed, { leasedUntil: null })))
  yield* videos.upload(caller, claimed.recordingUuid, file).pipe(
    Effect.onError(() => release),
    Effect.tapError(({ _tag }) =>
      // The upload can be completed when there is space, in another session of its user, or by the process that claimed it.
      ["StorageFull", "Unauthenticated", "ResumableUploadRefused"].includes(_tag) ? Effect.void : dropUpload(id)
    )
  )
  yield* removePieceFiles(idsOf(pieces))
}, Effect.uninterruptible)
