import type { Capture, CaptureUpload, LogUnreadable } from "@tapedeck/domain/capture"
import { Context, Effect, type Stream } from "effect"
import { type NotAVideo, NotFound, StateConflict, TooManyPieces } from "../errors.ts"
import { addPieces, inPieces, refuseOtherThanVideo, removePieceFiles, writePiece } from "../files/pieces.ts"
import { keepByteQuota } from "../files/quota.ts"
import { UploadPolicy } from "../files/upload.ts"
import { Ids } from "../Ids.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { serviceLayer } from "../serviceLayer.ts"
import { inTransaction, storeKeys, storeOf } from "../store/Store.ts"
import { appendLogInTurn } from "./appendLog.ts"
import { keepAlive, openCapture } from "./captureJob.ts"
import { type CaptureRefused, CaptureTooLarge } from "./errors.ts"
import { countBytes, maxPiecesOf, maxUploads } from "./limits.ts"

export interface NewUpload extends Pick<CaptureUpload, "contentType" | "metadata" | "sizeBytes"> {
  /** Number of the part; null if the sender does not name one. */
  readonly part: number | null
}

/** Data that a request appends to an upload. */
export interface Appended<E> {
  readonly captureId: string
  readonly uploadId: string
  readonly offset: number
  /** The length that the request declares; undefined: none. */
  readonly sizeBytes?: number
  readonly bytes: Stream.Stream<Uint8Array, E>
}

/** The data that an open capture receives: uploads of its video, and batches of its log. */
export class CaptureUploads extends Context.Service<
  CaptureUploads,
  {
    readonly createUpload: (
      captureId: string,
      upload: NewUpload
    ) => Effect.Effect<CaptureUpload, CaptureRefused | CaptureTooLarge | StateConflict>
    /** The new offset. */
    readonly append: <E>(
      appended: Appended<E>
    ) => Effect.Effect<
      number,
      CaptureRefused | CaptureTooLarge | TooManyPieces | StateConflict | NotAVideo | NotFound | E
    >
    readonly removeUpload: (captureId: string, uploadId: string) => Effect.Effect<void, CaptureRefused | NotFound>
    readonly appendLog: (
      captureId: string,
      stream: string,
      text: string
    ) => Effect.Effect<void, CaptureRefused | LogUnreadable>
  }
>()("@tapedeck/core/CaptureUploads") {
  static readonly layer = serviceLayer(
    CaptureUploads,
    [
      Ids,
      ServiceConfig,
      UploadPolicy,
      ...storeKeys("captures", "files", "jobs", "recordings", "sites", "transaction", "tryWindows", "users")
    ],
    () => ({
      createUpload: (captureId, upload) => inTransaction(createUpload(captureId, upload)),
      append: appendBytes,
      removeUpload,
      appendLog: appendLogInTurn
    })
  )
}

const noUpload = new NotFound({ what: "Upload" })

const uploadIn = (capture: Capture, uploadId: string): Effect.Effect<CaptureUpload, NotFound> => {
  const upload = capture.uploads.find(({ id }) => id === uploadId)
  return upload === undefined ? Effect.fail(noUpload) : Effect.succeed(upload)
}

const withUpload = (capture: Capture, upload: CaptureUpload): Capture => ({
  ...capture,
  uploads: capture.uploads.map((each) => (each.id === upload.id ? upload : each))
})

const tooLarge = ({ maxBytes }: Capture) => new CaptureTooLarge({ limitBytes: maxBytes, of: "capture" })

/** Each piece is a file: requests of a few bytes each cannot make as many as they like. */
const refusePieces = (capture: Capture): Effect.Effect<void, TooManyPieces> => {
  const limit = maxPiecesOf(capture)
  return capture.videoPieces < limit ? Effect.void : Effect.fail(new TooManyPieces({ limit, of: "capture" }))
}

/**
 * Starts an upload. A part that is started again is the existing upload: a browser that lost the answer, or could not store it,
 * continues where it was. Inside the transaction.
 */
const createUpload = Effect.fnUntraced(function* (captureId: string, newUpload: NewUpload) {
  const store = yield* storeOf("captures")
  const capture = yield* openCapture(captureId)
  yield* keepAlive(capture)
  const known = newUpload.part === null ? undefined : capture.uploads.find(({ part }) => part === newUpload.part)
  if (known !== undefined) return known
  if (capture.uploads.length >= maxUploads) {
    return yield* new StateConflict({ reason: `A capture has at most ${maxUploads} uploads` })
  }
  if (capture.receivedBytes + (newUpload.sizeBytes ?? 0) > capture.maxBytes) return yield* tooLarge(capture)
  yield* keepByteQuota(capture, newUpload.sizeBytes ?? 0)
  const upload: CaptureUpload = {
    ...newUpload,
    part: newUpload.part ?? 0,
    id: yield* Ids.uuid("capture_upload"),
    offset: 0
  }
  yield* store.captures.save({ ...capture, uploads: [...capture.uploads, upload] })
  return upload
})

const wrongOffset = (offset: number) => new StateConflict({ reason: `Upload-Offset must be ${offset}` })

/** The capture and its upload, if the request fits to where it is. */
const place = Effect.fnUntraced(function* ({ captureId, offset, sizeBytes, uploadId }: Omit<Appended<never>, "bytes">) {
  const capture = yield* openCapture(captureId)
  const before = yield* uploadIn(capture, uploadId)
  if (before.offset !== offset) return yield* wrongOffset(before.offset)
  if (sizeBytes !== undefined && sizeBytes !== (before.sizeBytes ?? sizeBytes)) {
    return yield* new StateConflict({ reason: "Upload-Length was declared otherwise" })
  }
  if (sizeBytes !== undefined && sizeBytes < offset) {
    return yield* new StateConflict({ reason: "Upload-Length is less than what has come" })
  }
  return { capture, upload: { ...before, sizeBytes: sizeBytes ?? before.sizeBytes } }
})

/** Types that may be declared of bytes that are not recognized. Default: `application/octet-stream`. */
const acceptedForm = /^(video\/|application\/octet-stream\b)/i

/** Adds a stretch to an upload: a file of its own, until the parts are joined. */
const addPiece = Effect.fnUntraced(function* (request: Omit<Appended<never>, "bytes">, bytes: Uint8Array) {
  const store = yield* storeOf("captures")
  const { capture, upload } = yield* place(request)
  if (request.offset === 0) yield* refuseOtherThanVideo(bytes, upload, (type) => acceptedForm.test(type))
  yield* refusePieces(capture)
  yield* countBytes(capture, bytes.length)
  const fileId = yield* writePiece(bytes)
  const add = Effect.gen(function* () {
    const { capture, upload } = yield* place(request)
    const offset = upload.offset + bytes.length
    if (upload.sizeBytes !== null && offset > upload.sizeBytes) {
      return yield* new CaptureTooLarge({ limitBytes: upload.sizeBytes, of: "capture" })
    }
    if (capture.receivedBytes + bytes.length > capture.maxBytes) return yield* tooLarge(capture)
    yield* refusePieces(capture)
    yield* keepByteQuota(capture, bytes.length)
    const sequence = capture.lastPiece + 1
    const piece = { kind: "video", sequence, uploadId: upload.id, fileId, sizeBytes: bytes.length } as const
    yield* store.captures.addPiece(capture.id, piece)
    const receivedBytes = capture.receivedBytes + bytes.length
    const videoPieces = capture.videoPieces + 1
    const added: Capture = { ...capture, lastPiece: sequence, videoPieces, receivedBytes }
    yield* store.captures.save(withUpload(added, { ...upload, offset }))
    yield* keepAlive(added)
    return offset
  })
  return yield* addPieces([fileId], add)
})

/**
 * Appends bytes to an upload as they arrive, and returns its new offset. Keeps what arrived before the request was aborted or
 * reached a limit.
 */
const appendBytes = Effect.fnUntraced(function* <E>({ bytes, ...request }: Appended<E>) {
  const { captures } = yield* storeOf("captures")
  const declare = Effect.gen(function* () {
    const { capture, upload } = yield* place(request)
    yield* captures.save(withUpload(capture, upload))
    yield* keepAlive(capture)
  })
  yield* inTransaction(declare)
  return yield* inPieces(bytes, request.offset, (piece, offset) => addPiece({ ...request, offset }, piece))
})

const removeUpload = Effect.fnUntraced(function* (captureId: string, uploadId: string) {
  yield* removePieceFiles(yield* inTransaction(dropUpload(captureId, uploadId)))
})

/** Takes an upload back, with its bytes; returns the files that are not needed any more. Inside the transaction. */
const dropUpload = Effect.fnUntraced(function* (captureId: string, uploadId: string) {
  const store = yield* storeOf("captures")
  const capture = yield* openCapture(captureId)
  const upload = yield* uploadIn(capture, uploadId)
  const pieces = yield* store.captures.pieces(captureId, "video")
  yield* store.captures.removePiecesOf(captureId, uploadId)
  yield* store.captures.save({
    ...capture,
    receivedBytes: capture.receivedBytes - upload.offset,
    uploads: capture.uploads.filter(({ id }) => id !== uploadId)
  })
  yield* keepAlive(capture)
  return pieces.filter((piece) => piece.uploadId === uploadId).map(({ fileId }) => fileId)
})
