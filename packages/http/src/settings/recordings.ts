import { settings, UnsupportedMediaType } from "@tapedeck/contract"
import {
  Malformed,
  type OwnedRecording,
  RecordingSettings,
  Recordings,
  ServiceConfig,
  type Upload
} from "@tapedeck/core"
import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { beginsDownload, downloadVideo } from "../download.ts"
import { objectBody } from "../jsonBody.ts"
import { ticketSearch } from "../publicApi.ts"
import { declaredBytes } from "../requestBody.ts"
import { wirePagination } from "../wire/lists.ts"
import { settingsEndpointsOf } from "./idempotency.ts"
import { wireManagedRecording } from "./wire/recording.ts"

const shown = <E, R>(owned: Effect.Effect<OwnedRecording, E, R>) =>
  Effect.zipWith(owned, ServiceConfig, (one, config) => wireManagedRecording(one, config))

/** RFC 9110, 8.3.1, parameters and all. */
const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+[ \t]*(;.*)?$/

/** The body as a file, with its type: it is written down as it comes, and never held in memory. Nothing of it is read yet. */
const uploadOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const encoding = request.headers["content-encoding"]
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    return yield* new UnsupportedMediaType({ message: "The file must come without a Content-Encoding" })
  }
  const contentType = request.headers["content-type"]?.trim() ?? "application/octet-stream"
  if (!mediaType.test(contentType)) {
    return yield* new UnsupportedMediaType({ message: "Content-Type must be a media type such as video/webm" })
  }
  const sizeBytes = declaredBytes(request)
  const upload: Upload<Malformed> = {
    contentType,
    ...(sizeBytes !== undefined && { sizeBytes }),
    bytes: Stream.mapError(request.stream, () => new Malformed({ reason: "The body broke off" }))
  }
  return upload
})

/** How recordings come, move, change and go (S2). */
export const recordings = settingsEndpointsOf(settings.Api.groups.recordings, {
  list: {
    operation: "recordings.list",
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const config = yield* ServiceConfig
      const { list } = yield* Recordings
      const page = yield* list(caller, { page: query.page ?? 1, ...ticketSearch(query) })
      const records = page.recordings.map((owned) => wireManagedRecording(owned, config))
      return { pagination: wirePagination(page.pagination), records }
    })
  },
  create: {
    operation: "recordings.create",
    answer: Effect.fnUntraced(function* ({ caller, request }) {
      const { create } = yield* RecordingSettings
      const input = yield* objectBody(request)
      return yield* shown(create(caller, input))
    })
  },
  read: {
    operation: "recordings.read",
    answer: ({ caller, params }) => shown(Recordings.use(({ get }) => get(caller, params.uuid)))
  },
  update: {
    operation: "recordings.update",
    answer: Effect.fnUntraced(function* ({ caller, params, request }) {
      const { update } = yield* RecordingSettings
      const input = yield* objectBody(request)
      return yield* shown(update(caller, params.uuid, input))
    })
  },
  download: {
    operation: "recordings.download",
    answer: Effect.fnUntraced(function* ({ caller, params, request }) {
      const { download } = yield* Recordings
      return yield* downloadVideo(download(caller, params.uuid, beginsDownload(request)), request)
    })
  },
  upload: {
    operation: "recordings.upload",
    body: "upload",
    answer: Effect.fnUntraced(function* ({ caller, params, query, request }) {
      const { upload } = yield* RecordingSettings
      const file = yield* uploadOf(request)
      return yield* shown(upload(caller, params.uuid, file, query.version))
    })
  },
  move: {
    operation: "recordings.move",
    answer: Effect.fnUntraced(function* ({ caller, params, request }) {
      const { move } = yield* RecordingSettings
      const input = yield* objectBody(request)
      return yield* shown(move(caller, params.uuid, input))
    })
  },
  leave: {
    operation: "recordings.leave",
    answer: ({ caller, params }) => RecordingSettings.use(({ leave }) => leave(caller, params.uuid))
  },
  delete: {
    operation: "recordings.delete",
    answer: ({ caller, params }) => RecordingSettings.use(({ remove }) => remove(caller, params.uuid))
  }
})
