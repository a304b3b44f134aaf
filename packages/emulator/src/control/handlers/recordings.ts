import { changeVideoFile, VideoFileEntry } from "@tapedeck/core"
import { parseRecordingUuid, type VideoFile, VideoVersion } from "@tapedeck/domain"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { World } from "../../World.ts"
import { ControlApi } from "../Api.ts"
import { badRequest, bodyOf, json, refused } from "../requests.ts"
import { onWorld } from "./onWorld.ts"

interface Place {
  readonly uuid: string
  readonly version: string
}

const isVersion = Schema.is(VideoVersion)

const fileView = (file: VideoFile | null) =>
  file === null ? null : { content_type: file.contentType, size_bytes: file.sizeBytes }

const change = Effect.fnUntraced(function* (world: World, { uuid, version }: Place, entry: VideoFileEntry | null) {
  if (!isVersion(version))
    return yield* refused(404, `A video has an original, a processed and an edited file, and no ${version}`)
  const parsed = parseRecordingUuid(uuid)
  const video = parsed === undefined ? undefined : yield* world.run(changeVideoFile(parsed, version, entry))
  if (video === undefined) return yield* refused(404, `No such recording: ${uuid}`)
  const { edited, original, processed } = video
  return json({ original: fileView(original), processed: fileView(processed), edited: fileView(edited) })
})

/** What a start document can say of a recording, changed while the world goes on. */
export const recordings = HttpApiBuilder.group(ControlApi, "recordings", (handlers) =>
  handlers
    .handleRaw("putVideo", ({ params }) =>
      onWorld(
        Effect.fnUntraced(function* ({ world }) {
          const entry = yield* bodyOf(VideoFileEntry)
          if (entry.path !== undefined) {
            return yield* badRequest({
              path: "path",
              message: "files are read in process and with --fixtures only: give base64 or size"
            })
          }
          if (entry.base64 === undefined && entry.size === undefined) {
            return yield* badRequest({ path: "", message: "must have base64 or size" })
          }
          return yield* change(world, params, entry)
        })
      )
    )
    .handleRaw("removeVideo", ({ params }) => onWorld(({ world }) => change(world, params, null)))
)
