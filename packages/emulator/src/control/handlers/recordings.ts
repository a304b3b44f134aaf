import { VideoFileEntry } from "@tapedeck/core/input"
import { parseRecordingUuid, type VideoFile, VideoVersion } from "@tapedeck/domain"
import { changeVideoFile } from "@tapedeck/fixtures"
import { Effect, Schema } from "effect"
import { readFileInside, readLocalFile } from "../../world/readLocalFile.ts"
import type { World } from "../../world/World.ts"
import { ControlApi } from "../Api.ts"
import { controlEndpoints } from "../controlEndpoints.ts"
import { badRequest, bodyOf, isInProcess, json, refused } from "../requests.ts"

interface Place {
  readonly uuid: string
  readonly version: string
}

const isVersion = Schema.is(VideoVersion)

const fileView = (file: VideoFile | null) =>
  file === null ? null : { content_type: file.contentType, size_bytes: file.sizeBytes }

/** Reads the file of the entry's `path`. Over the network only files in the emulator's folder are read. */
const readFiles = Effect.fnUntraced(function* ({ path }: VideoFileEntry, folder: string) {
  if (path === undefined) return noFiles
  const readFile = (yield* isInProcess) ? readLocalFile(folder) : readFileInside(folder)
  return yield* Effect.try({
    try: () => new Map([[path, readFile(path)]]),
    catch: (error) => badRequest({ path: "path", message: `cannot be read: ${(error as Error).message}` })
  })
})

const noFiles: ReadonlyMap<string, Uint8Array> = new Map()

const change = Effect.fnUntraced(function* (
  world: World,
  { uuid, version }: Place,
  entry: VideoFileEntry | null,
  files = noFiles
) {
  if (!isVersion(version))
    return yield* refused(404, `A video has an original, a processed and an edited file, and no ${version}`)
  const parsed = parseRecordingUuid(uuid)
  const video = parsed === undefined ? undefined : yield* world.run(changeVideoFile(parsed, version, entry, files))
  if (video === undefined) return yield* refused(404, `No such recording: ${uuid}`)
  const { edited, original, processed } = video
  return json({ original: fileView(original), processed: fileView(processed), edited: fileView(edited) })
})

/** Changes a recording as a start document could describe it. */
export const recordings = controlEndpoints(ControlApi.groups.recordings, {
  putVideo: Effect.fnUntraced(function* ({ emulator, params, world }) {
    const entry = yield* bodyOf(VideoFileEntry)
    if (entry.base64 === undefined && entry.path === undefined && entry.size === undefined) {
      return yield* badRequest({ path: "", message: "must have base64, path or size" })
    }
    return yield* change(world, params, entry, yield* readFiles(entry, emulator.folder))
  }),
  removeVideo: ({ params, world }) => change(world, params, null)
})
