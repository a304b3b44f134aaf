import { videoHeadBytes } from "@tapedeck/domain/internal/files"
import { Array as Arr, Effect, Exit, Stream } from "effect"
import { NotAVideo } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { storeOf } from "../store/Store.ts"
import { acceptedType, UploadPolicy } from "./upload.ts"

/** Maximum size of a stretch of video that is written at a time, as a file of its own until the pieces are joined. */
export const pieceBytes = 1024 * 1024

/**
 * Cuts bytes into pieces as they arrive. `add` gets each piece with its offset, and returns the offset after it. Adds what arrived before
 * the stream failed or was interrupted. Returns the last offset.
 */
export const inPieces = <E, E2, R2>(
  bytes: Stream.Stream<Uint8Array, E>,
  start: number,
  add: (piece: Uint8Array, offset: number) => Effect.Effect<number, E2, R2>
): Effect.Effect<number, E | E2, R2> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      let offset = start
      let held: Array<Uint8Array> = []
      let size = 0
      const flush = Effect.suspend(() => {
        if (size === 0) return Effect.void
        const piece = Buffer.concat(held)
        held = []
        size = 0
        return Effect.map(add(piece, offset), (after) => {
          offset = after
        })
      })
      const received = yield* Effect.exit(
        restore(
          Stream.runForEach(bytes, (chunk) => {
            held.push(chunk)
            size += chunk.length
            return size < pieceBytes ? Effect.void : Effect.uninterruptible(flush)
          })
        )
      )
      yield* flush
      if (Exit.isFailure(received)) return yield* Effect.failCause(received.cause)
      return offset
    })
  )

/** Writes a piece as a file that nothing refers to yet. Returns the file's id. */
export const writePiece = Effect.fnUntraced(function* (piece: Uint8Array) {
  const { files } = yield* storeOf("files")
  const fileId = yield* Ids.uuid("file")
  yield* files.write(fileId, Stream.succeed(piece))
  return fileId
})

/** Runs `add`, which refers to written pieces, in a transaction that keeps their files. Pieces that are not added leave no file. */
export const addPieces = Effect.fnUntraced(function* <A, E, R>(
  fileIds: ReadonlyArray<string>,
  add: Effect.Effect<A, E, R>
) {
  const store = yield* storeOf("files", "transaction")
  const attached = Effect.forEach(fileIds, store.files.attach, { discard: true })
  return yield* Effect.onError(store.transaction(Effect.andThen(attached, add)), () => discardPieces(fileIds))
})

/** Removes written pieces that were not added. */
export const discardPieces = Effect.fnUntraced(function* (fileIds: ReadonlyArray<string>) {
  const { files } = yield* storeOf("files")
  yield* Effect.forEach(fileIds, files.discard, { discard: true })
})

/** Refuses the first piece of an upload if it shows that the upload is no video, or one of a type that `isAccepted` refuses. */
export const refuseOtherThanVideo = Effect.fnUntraced(function* (
  piece: Uint8Array,
  { contentType, sizeBytes }: { readonly contentType: string; readonly sizeBytes: number | null },
  isAccepted: (type: string) => boolean = () => true
) {
  // Fewer bytes than a head show the type only if they are the whole file.
  if (piece.length < Math.min(videoHeadBytes, sizeBytes ?? videoHeadBytes)) return
  const type = acceptedType(piece.subarray(0, videoHeadBytes), contentType, yield* UploadPolicy)
  if (type === undefined || !isAccepted(type)) return yield* new NotAVideo()
})

/** Files that are removed in one transaction: each in one of its own would wait for the disk as often. */
const removedAtOnce = 100

/** Removes the files of pieces. Belongs after the commit that removes their references. */
export const removePieceFiles = Effect.fnUntraced(function* (fileIds: ReadonlyArray<string>) {
  const store = yield* storeOf("files", "transaction")
  for (const some of Arr.chunksOf(fileIds, removedAtOnce)) {
    yield* store.transaction(Effect.forEach(some, store.files.remove, { discard: true }))
  }
})
