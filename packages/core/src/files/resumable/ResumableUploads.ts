import type { Instant } from "@tapedeck/domain"
import { isWhole, type ResumableUpload } from "@tapedeck/domain/internal/files"
import { repeatedAfterMs } from "@tapedeck/domain/internal/jobs"
import { Context, Effect, Layer } from "effect"
import {
  type NotFound,
  type StateConflict,
  type TooManyPieces,
  type Unauthenticated,
  UploadTooLarge
} from "../../errors.ts"
import { Ids } from "../../Ids.ts"
import { addRepeating } from "../../jobs/repeating.ts"
import { now } from "../../now.ts"
import type { Caller } from "../../people/Caller.ts"
import { Recordings } from "../../recordings/Recordings.ts"
import { ServiceConfig } from "../../ServiceConfig.ts"
import { storeContext, storeOf } from "../../store/Store.ts"
import { quotaExceeded, quotaOf } from "../quota.ts"
import { UploadPolicy, type UploadRefusal } from "../upload.ts"
import { VideoUploads } from "../VideoUploads.ts"
import { type AppendedBytes, addBytes, type UploadPlace } from "./addBytes.ts"
import { completeUpload, dropUpload } from "./completeUpload.ts"
import { type ResumableUploadRefused, refused } from "./errors.ts"
import { UploadTurns } from "./UploadTurns.ts"

export interface NewResumableUpload extends Pick<ResumableUpload, "contentType" | "metadata" | "sizeBytes"> {
  readonly recordingUuid: string
}

/** Refusals at the end of an upload. */
type CompletionRefusal = NotFound | ResumableUploadRefused | Unauthenticated | UploadRefusal

/** Expired uploads that are read at a time. */
const sweptAtOnce = 100

/** Returns the instant at which an expired upload is removed. Until then it answers 410, and later 404. */
const sweptAt = (expiresAt: number) => (expiresAt + repeatedAfterMs.sweep) as Instant

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
    /** Removes uploads that have expired. Returns the instant before which no other is to be removed. */
    readonly sweep: Effect.Effect<Instant>
  }
>()("@tapedeck/core/ResumableUploads") {
  static readonly layer = Layer.effect(
    ResumableUploads,
    Effect.gen(function* () {
      const store = yield* storeOf("files", "jobs", "transaction", "uploads")
      const context = yield* Effect.context<Ids | ServiceConfig | UploadPolicy | VideoUploads>()
      const services = Context.merge(
        Context.pick(Ids, ServiceConfig, UploadPolicy, VideoUploads)(context),
        storeContext(store)
      )
      const drop = (id: string) => Effect.provideContext(dropUpload(id), services)
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
          yield* Effect.provideContext(addRepeating("sweep", sweptAt(upload.expiresAt)), services)
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

      /** The upload as it is now, or completed if all its bytes are there. */
      const completed = Effect.fnUntraced(function* (caller: Caller, place: UploadPlace) {
        const upload = yield* current(caller, place)
        if (!isWhole(upload)) return upload
        yield* Effect.provideContext(completeUpload(caller, upload.id), services)
        // It may have expired in the meantime, but its video is the recording's.
        return yield* found(caller, place)
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

      const append = Effect.fn("ResumableUploads.append")(function* <E>(caller: Caller, request: AppendedBytes<E>) {
        yield* found(caller, request)
        const appended = Effect.fnUntraced(function* (cancelled: Effect.Effect<void>) {
          yield* addBytes(yield* store.transaction(declared(caller, request)), request, cancelled)
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

      const sweepSome = Effect.gen(function* () {
        const expired = yield* uploads.expired(sweptAtOnce)
        const dropped = yield* Effect.filter(expired, ({ id }) => drop(id))
        return expired.length === sweptAtOnce && dropped.length > 0
      })

      const sweep = Effect.gen(function* () {
        while (yield* sweepSome);
        // An upload that is created from now on expires later than that.
        const later = (yield* now) + config.uploadExpiryMs
        return sweptAt(Math.min(later, (yield* uploads.nextExpiry) ?? later))
      })

      return ResumableUploads.of({
        create,
        get,
        append,
        remove,
        sweep: Effect.catchCause(sweep, (cause) =>
          Effect.andThen(Effect.logWarning("expired uploads could not be removed", cause), now)
        )
      })
    })
  )
}
