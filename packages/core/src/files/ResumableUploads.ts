import { createHash } from "node:crypto"
import type { Instant } from "@tapedeck/domain"
import {
  claimedUpload,
  isLeased,
  isWhole,
  type ResumableUpload,
  type UploadPiece
} from "@tapedeck/domain/internal/files"
import { Context, Effect, Layer, Schema, Stream } from "effect"
import { type NotFound, type StateConflict, TooManyPieces, type Unauthenticated, UploadTooLarge } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { now } from "../now.ts"
import type { Caller } from "../people/Caller.ts"
import { Recordings } from "../recordings/Recordings.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { storeContext, storeOf } from "../store/Store.ts"
import {
  addPieces,
  discardPieces,
  inPieces,
  pieceBytes,
  refuseOtherThanVideo,
  removePieceFiles,
  writePiece
} from "./pieces.ts"
import { quotaExceeded, quotaOf } from "./quota.ts"
import { UploadTurns } from "./UploadTurns.ts"
import { UploadPolicy, type UploadRefusal } from "./upload.ts"
import { VideoUploads } from "./VideoUploads.ts"

const texts = {
  aborted: "Request aborted due to lock acquired",
  checksum: "Checksum mismatch",
  busy: "The upload is being completed by another request",
  expired: "The file for this url no longer exists",
  length: "Upload-Length or Upload-Defer-Length header required",
  missing: "The file for this url was not found",
  offset: "Upload-Offset conflict",
  size: "upload's size exceeded"
}

/** A request that does not fit to its upload. */
export class ResumableUploadRefused extends Schema.TaggedError<ResumableUploadRefused>()("ResumableUploadRefused", {
  reason: Schema.Literals(["aborted", "busy", "checksum", "expired", "length", "missing", "offset", "size"])
}) {
  override get message() {
    return texts[this.reason]
  }
}

const refused = (reason: ResumableUploadRefused["reason"]) => new ResumableUploadRefused({ reason })

const idsOf = (pieces: ReadonlyArray<UploadPiece>) => pieces.map(({ fileId }) => fileId)

/** An upload of a recording. */
export interface UploadPlace {
  readonly recordingUuid: string
  readonly uploadId: string
}

export interface NewResumableUpload extends Pick<ResumableUpload, "contentType" | "metadata" | "sizeBytes"> {
  readonly recordingUuid: string
}

export const checksumAlgorithms = ["sha1", "sha256", "md5"] as const

export interface Checksum {
  readonly algorithm: (typeof checksumAlgorithms)[number]
  readonly digest: Uint8Array
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

/** Refusals at the end of an upload. */
type CompletionRefusal = NotFound | ResumableUploadRefused | Unauthenticated | UploadRefusal

/** Lease of a claim to complete an upload. */
const leaseMs = 30_000

/** Expired uploads that are read at a time. */
const sweptAtOnce = 100

/**
 * Maximum number of pieces of an upload: one for each `pieceBytes` of the largest file, and 10,000 for clients that send fewer bytes
 * with a request, and for interrupted requests.
 */
export const maxUploadPieces = ({ maxUploadBytes }: { readonly maxUploadBytes: number }): number =>
  10_000 + Math.ceil(maxUploadBytes / pieceBytes)

/**
 * Uploads of videos in parts. Users who may see a recording may create one, and only its creator may continue it. A complete upload
 * becomes the recording's original as an upload at once does, once.
 */
export class ResumableUploads extends Context.Service<
  ResumableUploads,
  {
    readonly create: (
      caller: Caller,
      upload: NewResumableUpload
    ) => Effect.Effect<ResumableUpload, NotFound | StateConflict | UploadTooLarge>
    /** The upload as it is when earlier requests have ended. Completes it, if a crash left it with all its bytes. */
    readonly get: (caller: Caller, place: UploadPlace) => Effect.Effect<ResumableUpload, CompletionRefusal>
    /** Keeps what arrived before the request was aborted or reached a limit, unless it has a checksum. Returns the upload after it. */
    readonly append: <E>(
      caller: Caller,
      appended: AppendedBytes<E>
    ) => Effect.Effect<ResumableUpload, CompletionRefusal | TooManyPieces | E>
    /** Removes the upload. The video of a complete one stays. */
    readonly remove: (caller: Caller, place: UploadPlace) => Effect.Effect<void, NotFound | ResumableUploadRefused>
    /** Removes uploads that have expired. */
    readonly sweep: Effect.Effect<void>
  }
>()("@tapedeck/core/ResumableUploads") {
  static readonly layer = Layer.effect(
    ResumableUploads,
    Effect.gen(function* () {
      const store = yield* storeOf("files", "transaction", "uploads")
      const services = Context.merge(
        Context.pick(Ids, UploadPolicy)(yield* Effect.context<Ids | UploadPolicy>()),
        storeContext(store)
      )
      const config = yield* ServiceConfig
      const recordings = yield* Recordings
      const videos = yield* VideoUploads
      const turns = new UploadTurns()
      const { uploads } = store

      const create = Effect.fn("ResumableUploads.create")(function* (
        caller: Caller,
        { recordingUuid, ...given }: NewResumableUpload
      ) {
        const { maxUploadBytes: limitBytes } = config
        const { recording } = yield* recordings.get(caller, recordingUuid)
        if ((given.sizeBytes ?? 0) > limitBytes) return yield* new UploadTooLarge({ limitBytes })
        yield* videos.admit(caller, recordingUuid, given.sizeBytes ?? 0)
        const { uploads: limit } = quotaOf(caller, config.memberQuota)
        const at = yield* now
        const upload: ResumableUpload = {
          ...given,
          id: yield* Effect.provideContext(Ids.uuid("upload"), services),
          recordingUuid: recording.uuid,
          userId: caller.user.id,
          isComplete: false,
          offset: 0,
          pieces: 0,
          expiresAt: (at + config.uploadExpiryMs) as Instant,
          fence: 0,
          leasedUntil: null
        }
        const add = Effect.gen(function* () {
          if (limit !== null && (yield* uploads.inProgress(caller.user.id, at)) >= limit) {
            return yield* quotaExceeded("uploads", limit)
          }
          yield* uploads.save(upload)
        })
        yield* store.transaction(add)
        return upload
      })

      /** The caller's upload. */
      const found = Effect.fnUntraced(function* (caller: Caller, { recordingUuid, uploadId }: UploadPlace) {
        const { recording } = yield* recordings.get(caller, recordingUuid)
        const upload = yield* uploads.byId(uploadId)
        const isOwn = upload?.userId === caller.user.id && upload.recordingUuid === recording.uuid
        return upload !== undefined && isOwn ? upload : yield* refused("missing")
      })

      /** The caller's upload, if it has not expired. */
      const current = Effect.fnUntraced(function* (caller: Caller, place: UploadPlace) {
        const upload = yield* found(caller, place)
        return (yield* now) < upload.expiresAt ? upload : yield* refused("expired")
      })

      const removeFiles = (pieces: ReadonlyArray<UploadPiece>) =>
        Effect.provideContext(removePieceFiles(idsOf(pieces)), services)

      /** Removes an upload with its pieces, unless a process is completing it. Returns whether it is removed. */
      const drop = Effect.fnUntraced(function* (id: string) {
        const removed = Effect.gen(function* () {
          const upload = yield* uploads.byId(id)
          if (upload === undefined) return []
          if (isLeased(upload, yield* now)) return undefined
          const pieces = yield* uploads.pieces(id)
          yield* uploads.remove(id)
          return pieces
        })
        const pieces = yield* store.transaction(removed)
        yield* removeFiles(pieces ?? [])
        return pieces !== undefined
      })

      const claim = Effect.fnUntraced(function* (id: string) {
        const at = yield* now
        const upload = yield* uploads.byId(id)
        if (upload !== undefined && !upload.isComplete && isLeased(upload, at)) return yield* refused("busy")
        const claimed = upload && claimedUpload(upload, at, (at + leaseMs) as Instant)
        if (claimed !== undefined) yield* uploads.save(claimed)
        return claimed
      })

      /** Changes an upload that the claim still holds. Inside the transaction. */
      const saveHeld = Effect.fnUntraced(function* ({ fence, id }: ResumableUpload, change: Partial<ResumableUpload>) {
        const upload = yield* uploads.byId(id)
        if (upload === undefined || upload.isComplete || upload.fence !== fence) return yield* refused("busy")
        yield* uploads.save({ ...upload, ...change })
      })

      const joined = (claimed: ResumableUpload, pieces: ReadonlyArray<UploadPiece>) => {
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
        return Stream.flatMap(Stream.fromIterable(pieces), (piece) => Stream.unwrap(read(piece)))
      }

      /** Makes an upload whose bytes are all there the recording's original. An upload that is refused permanently is removed. */
      const complete = Effect.fnUntraced(function* (caller: Caller, id: string) {
        const claimed = yield* store.transaction(claim(id))
        if (claimed === undefined) return
        const pieces = yield* uploads.pieces(id)
        const settle = Effect.andThen(
          saveHeld(claimed, { isComplete: true, leasedUntil: null }),
          uploads.removePieces(id)
        )
        const file = { bytes: joined(claimed, pieces), contentType: claimed.contentType, settle }
        const release = Effect.ignoreCause(store.transaction(saveHeld(claimed, { leasedUntil: null })))
        yield* videos.upload(caller, claimed.recordingUuid, file).pipe(
          Effect.onError(() => release),
          Effect.tapError(({ _tag }) =>
            // The upload can be completed when there is space, in another session of its user, or by the process that claimed it.
            ["StorageFull", "Unauthenticated", "ResumableUploadRefused"].includes(_tag) ? Effect.void : drop(id)
          )
        )
        yield* removeFiles(pieces)
      }, Effect.uninterruptible)

      /** The upload as it is now, or completed if all its bytes are there. */
      const completed = Effect.fnUntraced(function* (caller: Caller, place: UploadPlace) {
        const upload = yield* current(caller, place)
        if (!isWhole(upload)) return upload
        yield* complete(caller, upload.id)
        return yield* current(caller, place)
      })

      const get = Effect.fn("ResumableUploads.get")(function* (caller: Caller, place: UploadPlace) {
        yield* found(caller, place)
        return yield* turns.take(place.uploadId, () => completed(caller, place))
      })

      /** The upload before a request, with the length that the request declares. Inside the transaction. */
      const declared = Effect.fnUntraced(function* (
        caller: Caller,
        { offset, recordingUuid, sizeBytes, uploadId }: Omit<AppendedBytes<never>, "bytes">
      ) {
        const upload = yield* current(caller, { recordingUuid, uploadId })
        if (upload.offset !== offset) return yield* refused("offset")
        if (sizeBytes === null) return upload
        if (upload.sizeBytes !== null || sizeBytes < offset) return yield* refused("length")
        const { maxUploadBytes: limitBytes } = config
        if (sizeBytes > limitBytes) return yield* new UploadTooLarge({ limitBytes })
        const known = { ...upload, sizeBytes }
        yield* uploads.save(known)
        return known
      })

      const write = Effect.fnUntraced(function* (upload: ResumableUpload, bytes: Uint8Array, start: number) {
        if (start === 0) yield* Effect.tapError(refuseOtherThanVideo(bytes, upload), () => drop(upload.id))
        const piece: UploadPiece = { start, fileId: yield* writePiece(bytes), sizeBytes: bytes.length }
        return piece
      })

      /** Adds written pieces to an upload that is where they start. Returns the new offset. */
      const add = (id: string, pieces: ReadonlyArray<UploadPiece>) => {
        const added = Effect.gen(function* () {
          const upload = yield* uploads.byId(id)
          if (upload === undefined) return yield* refused("missing")
          const limit = maxUploadPieces(config)
          if (upload.pieces + pieces.length > limit) return yield* new TooManyPieces({ limit, of: "upload" })
          let { offset } = upload
          for (const piece of pieces) {
            if (offset !== piece.start) return yield* refused("offset")
            yield* uploads.addPiece(id, piece)
            offset += piece.sizeBytes
          }
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
        const limit = maxUploadPieces(config)
        const hold = Effect.fnUntraced(function* (piece: Uint8Array, start: number) {
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

      const append = Effect.fn("ResumableUploads.append")(function* <E>(caller: Caller, request: AppendedBytes<E>) {
        yield* found(caller, request)
        const { bytes, checksum, declaredBytes, offset } = request
        const appended = Effect.fnUntraced(function* (cancelled: Effect.Effect<void>) {
          const before = yield* store.transaction(declared(caller, request))
          const limit = maxUploadPieces(config)
          if (before.pieces >= limit) return yield* new TooManyPieces({ limit, of: "upload" })
          const left = (before.sizeBytes ?? config.maxUploadBytes) - offset
          if ((declaredBytes ?? 0) > left) return yield* refused("size")
          const arriving = limited(bytes, left, cancelled)
          const added = checksum === null ? addArriving(before, arriving) : addChecked(before, arriving, checksum)
          yield* added
          return yield* completed(caller, request)
        })
        return yield* turns.take(request.uploadId, (cancelled) => Effect.provideContext(appended(cancelled), services))
      })

      const remove = Effect.fn("ResumableUploads.remove")(function* (caller: Caller, place: UploadPlace) {
        yield* found(caller, place)
        const removed = Effect.gen(function* () {
          const { id } = yield* found(caller, place)
          if (!(yield* drop(id))) return yield* refused("busy")
        })
        yield* turns.take(place.uploadId, () => Effect.uninterruptible(removed))
      })

      const sweep = Effect.gen(function* () {
        const expired = yield* uploads.expired(sweptAtOnce)
        const dropped = yield* Effect.filter(expired, ({ id }) => drop(id))
        return expired.length === sweptAtOnce && dropped.length > 0
      })

      return ResumableUploads.of({
        create,
        get,
        append,
        remove,
        sweep: Effect.asVoid(Effect.repeat(sweep, { while: (isMore: boolean) => isMore }))
      })
    })
  )
}

/** Removes expired uploads every 10 minutes, for as long as it runs. */
export const uploadKeeper = Effect.gen(function* () {
  const { sweep } = yield* ResumableUploads
  const safely = Effect.catchCause(sweep, (cause) => Effect.logWarning("expired uploads could not be removed", cause))
  return yield* Effect.forever(Effect.andThen(safely, Effect.sleep("10 minutes")))
})
