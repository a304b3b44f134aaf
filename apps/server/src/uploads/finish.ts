import { createReadStream } from "node:fs"
import { type Caller, type NotFound, RecordingSettings, type UploadRefusal } from "@tapedeck/core"
import { Effect, Stream } from "effect"
import type { UploadFolder, UploadInfo } from "./UploadFolder.ts"

/**
 * Makes a complete upload its recording's original, as the upload in one PUT does. It may be asked for again after a crash at
 * any moment: the file has the upload's id, and `RecordingSettings.upload` takes each id once. One that is refused for good
 * is removed.
 */
export const finishUpload = Effect.fnUntraced(function* (folder: UploadFolder, caller: Caller, info: UploadInfo) {
  const { upload } = yield* RecordingSettings
  const sizeBytes = yield* Effect.promise(() => folder.offset(info))
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
    Effect.tapError((refusal: UploadRefusal | NotFound) =>
      // With more space it can still be finished.
      refusal._tag === "StorageFull" ? Effect.void : Effect.promise(() => folder.remove(info.id))
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

/** What the client says that the file is, as tus clients do; its bytes are believed first. */
const mediaTypeIn = ({ filetype }: UploadInfo["metadata"]): string =>
  filetype != null && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+([ \t]*;[ -~]*)?$/.test(filetype)
    ? filetype
    : "application/octet-stream"
