import { settings } from "@tapedeck/contract"
import { type OwnedRecording, RecordingSettings, Recordings, ServiceConfig, TranscriptSettings } from "@tapedeck/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../CurrentCaller.ts"
import { beginsDownload, downloadVideo } from "../download.ts"
import { notFound } from "../refusals.ts"
import { ticketSearch } from "../ticketSearch.ts"
import { wirePagination } from "../wire/pagination.ts"
import { objectBody } from "./body.ts"
import { refused } from "./refusals.ts"
import { transcriptOf } from "./transcriptImport.ts"
import { uploadOf } from "./upload.ts"
import { wholeTranscript } from "./wholeTranscript.ts"
import { wireManagedRecording } from "./wire/recording.ts"

const shown = <E, R>(owned: Effect.Effect<OwnedRecording, E, R>) =>
  Effect.zipWith(owned, ServiceConfig, (one, config) => wireManagedRecording(one, config))

/** How recordings come, move, change and go (S2). */
export const recordings = HttpApiBuilder.group(settings.Api, "recordings", (handlers) =>
  handlers
    .handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        const config = yield* ServiceConfig
        const { list } = yield* Recordings
        const page = yield* list(yield* CurrentCaller, { page: query.page ?? 1, ...ticketSearch(query) })
        const records = page.recordings.map((owned) => wireManagedRecording(owned, config))
        return { pagination: wirePagination(page.pagination), records }
      })
    )
    .handleRaw(
      "create",
      Effect.fnUntraced(function* ({ request }) {
        const { create } = yield* RecordingSettings
        const input = yield* objectBody(request)
        return yield* shown(Effect.mapError(create(yield* CurrentCaller, input), refused))
      })
    )
    .handle(
      "read",
      Effect.fnUntraced(function* ({ params }) {
        const { get } = yield* Recordings
        return yield* shown(Effect.mapError(get(yield* CurrentCaller, params.uuid), notFound))
      })
    )
    .handleRaw(
      "update",
      Effect.fnUntraced(function* ({ params, request }) {
        const { update } = yield* RecordingSettings
        const input = yield* objectBody(request)
        return yield* shown(Effect.mapError(update(yield* CurrentCaller, params.uuid, input), refused))
      })
    )
    .handle(
      "download",
      Effect.fnUntraced(function* ({ params, request }) {
        const { download } = yield* Recordings
        return yield* downloadVideo(download(yield* CurrentCaller, params.uuid, beginsDownload(request)), request)
      })
    )
    .handleRaw(
      "upload",
      Effect.fnUntraced(function* ({ params, query, request }) {
        const { upload } = yield* RecordingSettings
        const file = yield* uploadOf(request)
        const uploaded = upload(yield* CurrentCaller, params.uuid, file, query.version)
        return yield* shown(Effect.mapError(uploaded, refused))
      })
    )
    .handleRaw(
      "move",
      Effect.fnUntraced(function* ({ params, request }) {
        const { move } = yield* RecordingSettings
        const input = yield* objectBody(request)
        return yield* shown(Effect.mapError(move(yield* CurrentCaller, params.uuid, input), refused))
      })
    )
    .handle(
      "leave",
      Effect.fnUntraced(function* ({ params }) {
        const { leave } = yield* RecordingSettings
        return yield* Effect.mapError(leave(yield* CurrentCaller, params.uuid), refused)
      })
    )
    .handle(
      "delete",
      Effect.fnUntraced(function* ({ params }) {
        const { remove } = yield* RecordingSettings
        return yield* Effect.mapError(remove(yield* CurrentCaller, params.uuid), refused)
      })
    )
)

/** What people do with transcripts (R14, R15). */
export const transcripts = HttpApiBuilder.group(settings.Api, "transcripts", (handlers) =>
  handlers
    .handle(
      "read",
      Effect.fnUntraced(function* ({ params }) {
        const { read } = yield* TranscriptSettings
        return wholeTranscript(yield* Effect.mapError(read(yield* CurrentCaller, params.uuid), refused))
      })
    )
    .handleRaw(
      "edit",
      Effect.fnUntraced(function* ({ params, request }) {
        const { edit } = yield* TranscriptSettings
        const input = yield* objectBody(request)
        return wholeTranscript(yield* Effect.mapError(edit(yield* CurrentCaller, params.uuid, input), refused))
      })
    )
    .handleRaw(
      "import",
      Effect.fnUntraced(function* ({ params, request }) {
        const transcripts = yield* TranscriptSettings
        const given = yield* transcriptOf(request)
        const imported = transcripts.import(yield* CurrentCaller, params.uuid, given)
        return wholeTranscript(yield* Effect.mapError(imported, refused))
      })
    )
    .handle(
      "request",
      Effect.fnUntraced(function* ({ params }) {
        const { request } = yield* TranscriptSettings
        return wholeTranscript(yield* Effect.mapError(request(yield* CurrentCaller, params.uuid), refused))
      })
    )
)
