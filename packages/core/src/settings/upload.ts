import { createHash } from "node:crypto"
import type { VideoFile } from "@tapedeck/domain"
import { Context, Effect, Stream } from "effect"
import { Malformed, UploadTooLarge } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { Store } from "../Store.ts"

/** How large an uploaded file may be. */
export const UploadLimit = Context.Reference<{ readonly maxBytes: number }>("@tapedeck/core/UploadLimit", {
  defaultValue: () => ({ maxBytes: 1024 ** 3 })
})

/** A file as it comes in. */
export interface Upload<E> {
  /** Kept as it is; what is served is one of four types (R23). */
  readonly contentType: string
  readonly bytes: Stream.Stream<Uint8Array, E>
}

/** Writes an upload to the store's files, as its bytes come. Nothing is left of one that breaks off or is refused. */
export const writeUpload = Effect.fnUntraced(function* <E>({ bytes, contentType }: Upload<E>) {
  const store = yield* Store
  const { maxBytes } = yield* UploadLimit
  const fileId = yield* Ids.uuid("file")
  const hash = createHash("sha256")
  let received = 0
  const checked = Stream.mapEffect(bytes, (piece) => {
    received += piece.length
    if (received > maxBytes) return Effect.fail(new UploadTooLarge({ limitBytes: maxBytes }))
    hash.update(piece)
    return Effect.succeed(piece)
  })
  const sizeBytes = yield* store.files.write(fileId, checked)
  if (sizeBytes === 0) {
    yield* store.files.remove(fileId)
    return yield* new Malformed({ reason: "The body must not be empty" })
  }
  const file: VideoFile = { fileId, contentType, sizeBytes, etag: hash.digest("hex").slice(0, 32) }
  return file
})
