import { createHash } from "node:crypto"
import { isLeased, type ResumableUpload, type UploadPiece } from "@tapedeck/domain/internal/files"
import { Effect, Stream } from "effect"
import { TooManyPieces } from "../../errors.ts"
import { now } from "../../now.ts"
import { ServiceConfig } from "../../ServiceConfig.ts"
import { storeOf } from "../../store/Store.ts"
import { addPieces, discardPieces, inPieces, pieceBytes, refuseOtherThanVideo, writePiece } from "../pieces.ts"
import { dropUpload, idsOf } from "./completeUpload.ts"
import { maxChecksummedBytes, type ResumableUploadRefused, refused } from "./errors.ts"

export const checksumAlgorithms = ["sha1", "sha256", "md5"] as const

export interface Checksum {
  readonly algorithm: (typeof checksumAlgorithms)[number]
  readonly digest: Uint8Array
}

/** An upload of a recording. */
export interface UploadPlace {
  readonly recordingUuid: string
  readonly uploadId: string
}

/** Bytes that a request appends. */
export interface AppendedBytes<E> extends UploadPlace {
  readonly offset: number
  /** Length of the upload, if the request declares it; null if it declares none. */
  readonly sizeBytes: number | null
  /** Number of bytes, if the request declares it; null if it declares none. */
  readonly declaredBytes: number | null
  /** Checksum of the bytes. With one, either all of them are kept or none; null for none. */
  readonly checksum: Checksum | null
  readonly bytes: Stream.Stream<Uint8Array, E>
}

/**
 * Maximum number of pieces of an upload: one for each `pieceBytes` of the largest file, and 10,000 for clients that send fewer bytes
 * with a request, and for interrupted requests.
 */
export const maxUploadPieces = ({ maxUploadBytes }: { readonly maxUploadBytes: number }): number =>
  10_000 + Math.ceil(maxUploadBytes / pieceBytes)

const write = Effect.fnUntraced(function* (upload: ResumableUpload, bytes: Uint8Array, start: number) {
  if (start === 0) yield* Effect.tapError(refuseOtherThanVideo(bytes, upload), () => dropUpload(upload.id))
  const piece: UploadPiece = { start, fileId: yield* writePiece(bytes), sizeBytes: bytes.length }
  return piece
})

/** Adds written pieces to an upload that is where they start. Returns the new offset. */
const add = (id: string, pieces: ReadonlyArray<UploadPiece>) => {
  const added = Effect.gen(function* () {
    const { uploads } = yield* storeOf("uploads")
    const upload = yield* uploads.byId(id)
    if (upload === undefined) return yield* refused("missing")
    const config = yield* ServiceConfig
    const limit = maxUploadPieces(config)
    if (upload.pieces + pieces.length > limit) return yield* new TooManyPieces({ limit, of: "upload" })
    let { offset } = upload
    for (const piece of pieces) {
      if (offset !== piece.start) return yield* refused("offset")
      yield* uploads.addPiece(id, piece)
      offset += piece.sizeBytes
    }
    if (upload.isComplete || isLeased(upload, yield* now)) return yield* refused("busy")
    if (offset > (upload.sizeBytes ?? config.maxUploadBytes)) return yield* refused("size")
    yield* uploads.save({ ...upload, offset, pieces: upload.pieces + pieces.length })
    return offset
  })
  return addPieces(idsOf(pieces), added)
}

/** Adds the bytes piece by piece as they arrive. */
const addArriving = <E>(upload: ResumableUpload, bytes: Stream.Stream<Uint8Array, E>) =>
  inPieces(bytes, upload.offset, (piece, start) =>
    Effect.flatMap(write(upload, piece, start), (written) => add(upload.id, [written]))
  )

/** Adds the bytes when all have arrived, and their checksum is right. */
const addChecked = Effect.fnUntraced(function* <E>(
  upload: ResumableUpload,
  bytes: Stream.Stream<Uint8Array, E>,
  { algorithm, digest }: Checksum
) {
  const pieces: Array<UploadPiece> = []
  const hash = createHash(algorithm)
  const limit = maxUploadPieces(yield* ServiceConfig)
  const hold = Effect.fnUntraced(function* (piece: Uint8Array, start: number) {
    if (start + piece.length - upload.offset > maxChecksummedBytes) return yield* refused("checksummed")
    if (upload.pieces + pieces.length >= limit) return yield* new TooManyPieces({ limit, of: "upload" })
    hash.update(piece)
    pieces.push(yield* write(upload, piece, start))
    return start + piece.length
  })
  const held = Effect.gen(function* () {
    yield* inPieces(bytes, upload.offset, hold)
    if (!hash.digest().equals(digest)) return yield* refused("checksum")
  })
  yield* Effect.onError(held, () => discardPieces(idsOf(pieces)))
  yield* add(upload.id, pieces)
})

/** The bytes of a request, until a later request on the upload. Fails beyond `left`. */
const limited = <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  left: number,
  cancelled: Effect.Effect<void>
): Stream.Stream<Uint8Array, E | ResumableUploadRefused> => {
  let received = 0
  return bytes.pipe(
    Stream.mapEffect((chunk) => {
      received += chunk.length
      return received > left ? Effect.fail(refused("size")) : Effect.succeed(chunk)
    }),
    Stream.interruptWhen(Effect.andThen(cancelled, Effect.fail(refused("aborted"))))
  )
}

/** Adds the bytes of a request to an upload that is at its offset. `cancelled` waits for a later request on the upload. */
export const addBytes = Effect.fnUntraced(function* <E>(
  upload: ResumableUpload,
  { bytes, checksum, declaredBytes }: AppendedBytes<E>,
  cancelled: Effect.Effect<void>
) {
  const config = yield* ServiceConfig
  const limit = maxUploadPieces(config)
  if (upload.pieces >= limit) return yield* new TooManyPieces({ limit, of: "upload" })
  const left = (upload.sizeBytes ?? config.maxUploadBytes) - upload.offset
  if ((declaredBytes ?? 0) > left) return yield* refused("size")
  if (checksum !== null && (declaredBytes ?? 0) > maxChecksummedBytes) return yield* refused("checksummed")
  const arriving = limited(bytes, left, cancelled)
  yield* checksum === null ? addArriving(upload, arriving) : addChecked(upload, arriving, checksum)
})
