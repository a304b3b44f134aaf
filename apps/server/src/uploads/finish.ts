import { createReadStream } from "node:fs"
import { type Caller, type NotFound, type Unauthenticated, type UploadRefusal, VideoUploads } from "@tapedeck/core"
import { Metadata } from "@tus/utils"
import { Effect, Stream } from "effect"
import type { UploadFolder, UploadInfo } from "./UploadFolder.ts"

/** An upload whose bytes are all there. */
export interface CompleteUpload extends UploadInfo {
  readonly sizeBytes: number
}

/**
 * Makes a complete upload the recording's original, as an upload in one PUT does. It may run again after a crash at any moment:
 * the file has the upload's id, and `VideoUploads.upload` accepts each id once. A permanently refused upload is
 * removed.
 */
export const finishUpload = Effect.fnUntraced(function* (folder: UploadFolder, caller: Caller, info: CompleteUpload) {
  const { upload } = yield* VideoUploads
  const { sizeBytes } = info
  const bytes = Stream.suspend(() =>
    Stream.fromAsyncIterable(
      createReadStream(folder.bytesOf(info.id), { highWaterMark: 256 * 1024 }) as AsyncIterable<Uint8Array>,
      (error) => new UnreadableUpload(info.id, error)
    )
  )
  yield* upload(caller, info.recordingUuid, {
    bytes: Stream.orDie(bytes),
    contentType: mediaTypeIn(info.metadata),
    fileId: info.id
  }).pipe(
    Effect.tapError((refusal: UploadRefusal | NotFound | Unauthenticated) =>
      // The upload can be finished when there is space, or in another session of its user.
      refusal._tag === "StorageFull" || refusal._tag === "Unauthenticated"
        ? Effect.void
        : Effect.promise(() => folder.remove(info.id))
    )
  )
  yield* Effect.promise(() => folder.finish(info, sizeBytes))
})

class UnreadableUpload extends Error {
  override readonly name = "UnreadableUpload"
  constructor(id: string, cause: unknown) {
    super(`the bytes of upload ${id} cannot be read`, { cause })
  }
}

/** The content type that the client declares, as tus clients do. The type of the bytes takes precedence. */
const mediaTypeIn = (metadata: UploadInfo["metadata"]): string => {
  const filetype = metadata === null ? null : Metadata.parse(metadata).filetype
  return filetype != null && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+([ \t]*;[ -~]*)?$/.test(filetype)
    ? filetype
    : "application/octet-stream"
}
