import { createHash } from "node:crypto"
import { filesGone, type RecordingUuid, type RecordingVideo, type VideoFile, type VideoVersion } from "@tapedeck/domain"
import { Effect } from "effect"
import { Ids } from "../Ids.ts"
import { now } from "../now.ts"
import { type FileContent, Store } from "../Store.ts"
import type { RecordingEntry, VideoFileEntry } from "./recordingSchema.ts"

type VideoEntry = NonNullable<RecordingEntry["video"]>

/** Bytes by path, as the checks have read them. */
type Files = ReadonlyMap<string, Uint8Array>

/** Saves the files of a checked `video`. */
export const makeVideo = Effect.fnUntraced(function* (entry: VideoEntry | undefined, files: Files) {
  const video: RecordingVideo = {
    original: yield* makeFile(entry?.original, files),
    processed: yield* makeFile(entry?.processed, files),
    edited: yield* makeFile(entry?.edited, files)
  }
  return video
})

/**
 * Puts a file into a recording's place for it, or takes the file away. Nothing follows from it: no audit entry, no work on
 * it. `files` has the bytes of the entry's `path`. Gives the recording's files; undefined where there is no such recording.
 */
export const changeVideoFile = Effect.fnUntraced(function* (
  uuid: RecordingUuid,
  version: VideoVersion,
  entry: VideoFileEntry | null,
  files: Files
) {
  const store = yield* Store
  const change = Effect.gen(function* () {
    const before = yield* store.recordings.byUuid(uuid)
    if (before === undefined) return undefined
    const video = { ...before.video, [version]: yield* makeFile(entry, files) }
    yield* store.recordings.save({ ...before, video, updatedAt: yield* now })
    for (const { fileId } of filesGone(before.video, video)) yield* store.files.remove(fileId)
    return video
  })
  return yield* store.transaction(change)
})

const makeFile = Effect.fnUntraced(function* (entry: VideoFileEntry | null | undefined, files: Files) {
  const content = entry ? contentOf(entry, files) : undefined
  if (!entry || content === undefined) return null
  const store = yield* Store
  const fileId = yield* Ids.uuid("file")
  yield* store.files.save(fileId, content)
  const file: VideoFile = {
    fileId,
    contentType: contentTypeOf(entry),
    sizeBytes: content.kind === "bytes" ? content.bytes.length : content.sizeBytes,
    etag: etagOf(content, fileId)
  }
  return file
})

const contentOf = ({ base64, path, size }: VideoFileEntry, files: Files): FileContent | undefined => {
  if (base64 !== undefined) return { kind: "bytes", bytes: new Uint8Array(Buffer.from(base64, "base64")) }
  if (size !== undefined) return { kind: "made_up", sizeBytes: size }
  const bytes = path === undefined ? undefined : files.get(path)
  return bytes === undefined ? undefined : { kind: "bytes", bytes }
}

const contentTypes: Readonly<Record<string, string>> = { mp4: "video/mp4", mov: "video/quicktime", webm: "video/webm" }

const contentTypeOf = ({ content_type, path }: VideoFileEntry): string => {
  if (content_type !== undefined) return content_type
  if (path === undefined) return "video/webm"
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? ""
  return contentTypes[extension] ?? "application/octet-stream"
}

/** A hash of the content; made-up bytes are known by how many they are, and whose. */
const etagOf = (content: FileContent, fileId: string): string => {
  const hashed = content.kind === "bytes" ? content.bytes : `${content.sizeBytes}/${fileId}`
  return createHash("sha256").update(hashed).digest("hex").slice(0, 32)
}
