import { v2 } from "@tapedeck/contract"
import { Recordings, ServiceConfig } from "@tapedeck/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../CurrentCaller.ts"
import { downloadVideo } from "../download.ts"
import { notFound } from "../refusals.ts"
import { jsonBytes, jsonPieces } from "../responses.ts"
import { type TicketQuery, ticketSearch } from "../ticketSearch.ts"
import { listBody } from "../wire/listBody.ts"
import { readyJson } from "../wire/ready.ts"
import { wireRecording } from "../wire/recording.ts"
import { wireTranscript } from "../wire/transcript.ts"
import { readChanges } from "./changes.ts"

const recordingJson = readyJson(wireRecording)

/** GET /recordings, by what the contract lets its query be. */
export const listRecordings = Effect.fnUntraced(function* (query: TicketQuery & { readonly page?: number }) {
  const caller = yield* CurrentCaller
  const config = yield* ServiceConfig
  const { list } = yield* Recordings
  const page = yield* list(caller, { page: query.page ?? 1, ...ticketSearch(query) })
  const records = page.recordings.map((owned) => recordingJson(owned, config))
  return jsonPieces(listBody(page.pagination, records))
})

/** GET /recordings and what is below it (specification, Endpoints). Services are taken at each request, never before. */
export const recordings = HttpApiBuilder.group(v2.Api, "recordings", (handlers) =>
  handlers
    .handle("list", ({ query }) => listRecordings(query))
    .handle(
      "get",
      Effect.fnUntraced(function* ({ params }) {
        const caller = yield* CurrentCaller
        const { get } = yield* Recordings
        const owned = yield* Effect.mapError(get(caller, params.uuid), notFound)
        return jsonBytes(recordingJson(owned, yield* ServiceConfig).bytes)
      })
    )
    .handleRaw(
      "update",
      Effect.fnUntraced(function* ({ params, request }) {
        const caller = yield* CurrentCaller
        const { get, update } = yield* Recordings
        const changes = yield* readChanges(request, Effect.mapError(get(caller, params.uuid), notFound))
        const owned = yield* Effect.mapError(update(caller, params.uuid, changes), notFound)
        return jsonBytes(recordingJson(owned, yield* ServiceConfig).bytes)
      })
    )
    .handle(
      "download",
      Effect.fnUntraced(function* ({ params, request }) {
        const caller = yield* CurrentCaller
        const { download } = yield* Recordings
        return yield* downloadVideo(download(caller, params.uuid), request)
      })
    )
    .handle(
      "transcript",
      Effect.fnUntraced(function* ({ params, query }) {
        const caller = yield* CurrentCaller
        const { transcript } = yield* Recordings
        return wireTranscript(yield* Effect.mapError(transcript(caller, params.uuid, query.page ?? 1), notFound))
      })
    )
)
