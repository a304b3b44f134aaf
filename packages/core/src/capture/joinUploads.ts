import { createHash } from "node:crypto"
import type { VideoFile } from "@tapedeck/domain"
import type { Capture, CapturePiece, CaptureUpload } from "@tapedeck/domain/capture"
import { videoHeadBytes, videoTypeOf } from "@tapedeck/domain/internal/files"
import { Cause, Effect, Stream } from "effect"
import { Ids } from "../Ids.ts"
import { storeOf } from "../store/Store.ts"
import type { ClaimLost } from "./captureJob.ts"

type VideoPiece = Extract<CapturePiece, { readonly kind: "video" }>

/** The files of a capture's runs, and the bytes of pieces that could not be read: the others were joined without them. */
export interface JoinedUploads {
  readonly files: ReadonlyArray<VideoFile>
  readonly lostBytes: number
}

/** The uploads that have bytes, in the order in which they follow each other. */
const runsOf = ({ uploads }: Capture): ReadonlyArray<CaptureUpload> =>
  uploads.filter(({ offset }) => offset > 0).toSorted((a, b) => a.part - b.part)

interface JoinOptions<R> {
  /** Called before each piece is read. */
  readonly renew: Effect.Effect<void, ClaimLost, R>
  /** True if a piece that cannot be read counts as lost. */
  readonly isLastTry: boolean
}

/** Joins the pieces of each run of the recorder to a file, and renews the claim meanwhile. A failure leaves no file. */
export const joinUploads = Effect.fnUntraced(function* <R>(
  capture: Capture,
  pieces: ReadonlyArray<VideoPiece>,
  { isLastTry, renew }: JoinOptions<R>
) {
  const store = yield* storeOf("files")
  const byUpload = Map.groupBy(pieces, ({ uploadId }) => uploadId)
  let lostBytes = 0

  const lose = Effect.fnUntraced(function* ({ fileId, sizeBytes }: VideoPiece, reason: string) {
    lostBytes += sizeBytes
    yield* Effect.logError("piece of a capture cannot be read; its video is joined without it", {
      capture_id: capture.id,
      recording_uuid: capture.recordingUuid,
      file_id: fileId,
      size_bytes: sizeBytes,
      reason
    })
    return Stream.empty
  })

  const read = Effect.fnUntraced(function* (piece: VideoPiece) {
    yield* renew
    const found = yield* store.files.read(piece.fileId, 0, piece.sizeBytes)
    if (found === undefined) return yield* lose(piece, "it is missing")
    if (!isLastTry) return found
    return Stream.catchCause(found, (cause) => Stream.unwrap(lose(piece, Cause.pretty(cause))))
  })

  const joined = Effect.fnUntraced(function* (upload: CaptureUpload) {
    const fileId = yield* Ids.uuid("file")
    const hash = createHash("sha256")
    let head = Buffer.alloc(0)
    const bytes = Stream.fromIterable(byUpload.get(upload.id) ?? []).pipe(
      Stream.flatMap((piece) => Stream.unwrap(read(piece))),
      Stream.map((chunk) => {
        hash.update(chunk)
        if (head.length < videoHeadBytes) head = Buffer.concat([head, chunk]).subarray(0, videoHeadBytes)
        return chunk
      })
    )
    const sizeBytes = yield* store.files.write(fileId, bytes)
    const contentType = videoTypeOf(head) ?? upload.contentType
    const file: VideoFile = { fileId, contentType, sizeBytes, etag: hash.digest("hex").slice(0, 32) }
    return file
  })

  const files: Array<VideoFile> = []
  const join = Effect.gen(function* () {
    for (const run of runsOf(capture)) {
      const file = yield* joined(run)
      if (file.sizeBytes > 0) files.push(file)
      else yield* store.files.discard(file.fileId)
    }
    const result: JoinedUploads = { files, lostBytes }
    return result
  })
  return yield* Effect.onError(join, () => discardFiles(files))
})

/** Removes joined files that no recording has. */
export const discardFiles = (files: ReadonlyArray<VideoFile>) =>
  Effect.flatMap(storeOf("files"), (store) =>
    Effect.forEach(files, ({ fileId }) => store.files.discard(fileId), { discard: true })
  )
