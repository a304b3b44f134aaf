import { createHash } from "node:crypto"
import type { VideoFile } from "@tapedeck/domain"
import { videoHeadBytes, videoTypeOf } from "@tapedeck/domain/internal/files"
import { Context, Effect, Stream } from "effect"
import { InputMalformed, NotAVideo, type StateConflict, StorageFull, UploadTooLarge } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { type Store, storeOf } from "../store/Store.ts"

/**
 * Policy for bytes that are not a known video. The server refuses them; the emulator accepts their declared type, so that tests of an
 * integrator need no real video.
 */
export class UploadPolicy extends Context.Service<
  UploadPolicy,
  { readonly unknownContent: "refused" | "as_declared" }
>()("@tapedeck/core/UploadPolicy") {}

/** Type of a file by its first bytes, or where the policy allows it as declared; undefined for what is no video. */
export const acceptedType = (
  head: Uint8Array,
  declared: string,
  { unknownContent }: UploadPolicy["Service"]
): string | undefined => videoTypeOf(head) ?? (unknownContent === "as_declared" ? declared : undefined)

/** An uploaded file. */
export interface Upload<E> {
  /** Type that the sender declares. The type by the first bytes takes precedence. Served files have one of four types (R23). */
  readonly contentType: string
  readonly bytes: Stream.Stream<Uint8Array, E>
  /** Size that the sender declares; undefined if it declares none. */
  readonly sizeBytes?: number
  /** Runs in the transaction that attaches the file. With its failure, the file is not attached. */
  readonly settle?: Effect.Effect<void, E>
}

/** The reasons to refuse an upload. */
export type UploadRefusal = StateConflict | InputMalformed | NotAVideo | StorageFull | UploadTooLarge

/** Number of bytes that the owner's quota still allows for an upload, and the refusal of more. */
export interface Allowance {
  readonly maxBytes: number
  readonly refusal: StateConflict
}

/** Streams an upload to the store's files. An interrupted or refused one leaves nothing. */
export const writeUpload = Effect.fnUntraced(function* <E>(
  { bytes, contentType }: Upload<E>,
  allowance: Allowance | null
) {
  const store = yield* storeOf("files")
  const { maxUploadBytes: maxBytes } = yield* ServiceConfig
  const policy = yield* UploadPolicy
  const fileId = yield* Ids.uuid("file")
  const hash = createHash("sha256")
  let received = 0
  const counted = Stream.mapEffect(bytes, (piece): Effect.Effect<Uint8Array, StateConflict | UploadTooLarge> => {
    received += piece.length
    if (received > maxBytes) return Effect.fail(new UploadTooLarge({ limitBytes: maxBytes }))
    if (allowance !== null && received > allowance.maxBytes) return Effect.fail(allowance.refusal)
    hash.update(piece)
    return Effect.succeed(piece)
  })
  let accepted = contentType
  const checked = withHead(counted, (head): Effect.Effect<void, InputMalformed | NotAVideo> => {
    if (head.length === 0) return Effect.fail(new InputMalformed({ reason: "The body must not be empty" }))
    const type = acceptedType(head, contentType, policy)
    accepted = type ?? contentType
    return type === undefined ? Effect.fail(new NotAVideo()) : Effect.void
  })
  const sizeBytes = yield* store.files.write(fileId, checked).pipe(
    Effect.catchDefect(full),
    // The upload was interrupted just after the file was written, so the file is not used.
    Effect.onInterrupt(() => store.files.discard(fileId))
  )
  const file: VideoFile = {
    fileId,
    contentType: accepted,
    sizeBytes,
    etag: hash.digest("hex").slice(0, 32)
  }
  return file
})

/** Removes files. Belongs after the commit that removes their references: a file cannot be restored. */
export const removeFiles = (repository: Store["files"], files: ReadonlyArray<VideoFile>): Effect.Effect<void> =>
  Effect.forEach(files, ({ fileId }) => repository.remove(fileId), { discard: true })

/** Fails with a full disk, the only defect of a store that is reported to a caller. */
const full = (defect: unknown): Effect.Effect<never, StorageFull> =>
  defect instanceof StorageFull
    ? Effect.andThen(Effect.logError("no space left", { path: defect.path }), Effect.fail(defect))
    : Effect.die(defect)

/** Holds the bytes back until their first `videoHeadBytes` are there, or all there are, and `check` lets them pass. */
const withHead = <E, E2>(
  bytes: Stream.Stream<Uint8Array, E>,
  check: (head: Uint8Array) => Effect.Effect<void, E2>
): Stream.Stream<Uint8Array, E | E2> =>
  Stream.suspend(() => {
    const held: Array<Uint8Array> = []
    let size = 0
    let passed = false
    const pass = Effect.suspend(() => {
      const head = Buffer.concat(held)
      passed = true
      return Effect.as(check(head.subarray(0, videoHeadBytes)), head)
    })
    const later = Stream.mapEffect(bytes, (piece) => {
      if (passed) return Effect.succeed(piece)
      held.push(piece)
      size += piece.length
      return size < videoHeadBytes ? Effect.succeed(nothing) : pass
    })
    const rest = Stream.fromEffect(Effect.suspend(() => (passed ? Effect.succeed(nothing) : pass)))
    return Stream.filter(Stream.concat(later, rest), (piece) => piece.length > 0)
  })

const nothing = new Uint8Array(0)
