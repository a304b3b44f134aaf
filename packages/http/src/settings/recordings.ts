import { settings } from "@tapedeck/contract"
import { type OwnedRecording, RecordingSettings, Recordings, ServiceConfig, TranscriptSettings } from "@tapedeck/core"
import { Effect } from "effect"
import { beginsDownload, downloadVideo } from "../download.ts"
import { objectBody } from "../jsonBody.ts"
import { ticketSearch } from "../publicApi.ts"
import { wirePagination } from "../wire/pagination.ts"
import { settingsEndpointsOf } from "./idempotency.ts"
import { importLimit, transcriptOf } from "./transcriptImport.ts"
import { uploadOf } from "./upload.ts"
import { wholeTranscript } from "./wholeTranscript.ts"
import { wireManagedRecording } from "./wire/recording.ts"

const shown = <E, R>(owned: Effect.Effect<OwnedRecording, E, R>) =>
  Effect.zipWith(owned, ServiceConfig, (one, config) => wireManagedRecording(one, config))

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
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { get } = yield* Recordings
      return yield* shown(get(caller, params.uuid))
    })
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
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { leave } = yield* RecordingSettings
      return yield* leave(caller, params.uuid)
    })
  },
  delete: {
    operation: "recordings.delete",
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { remove } = yield* RecordingSettings
      return yield* remove(caller, params.uuid)
    })
  }
})

/** What people do with transcripts (R14, R15). */
export const transcripts = settingsEndpointsOf(settings.Api.groups.transcripts, {
  read: {
    operation: "transcripts.read",
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { read } = yield* TranscriptSettings
      return wholeTranscript(yield* read(caller, params.uuid))
    })
  },
  edit: {
    operation: "transcripts.edit",
    answer: Effect.fnUntraced(function* ({ caller, params, request }) {
      const { edit } = yield* TranscriptSettings
      const input = yield* objectBody(request)
      return wholeTranscript(yield* edit(caller, params.uuid, input))
    })
  },
  import: {
    operation: "transcripts.import",
    body: importLimit,
    answer: Effect.fnUntraced(function* ({ caller, params, request }) {
      const transcripts = yield* TranscriptSettings
      const given = yield* transcriptOf(request)
      return wholeTranscript(yield* transcripts.import(caller, params.uuid, given))
    })
  },
  request: {
    operation: "transcripts.request",
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { request } = yield* TranscriptSettings
      return wholeTranscript(yield* request(caller, params.uuid))
    })
  }
})
