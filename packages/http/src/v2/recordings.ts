import { v2 } from "@tapedeck/contract"
import { Recordings, ServiceConfig } from "@tapedeck/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../CurrentCaller.ts"
import { beginsDownload, downloadVideo } from "../download.ts"
import { recordingReads } from "../recordingReads.ts"
import { notFound } from "../refusals.ts"
import { jsonBytes } from "../responses.ts"
import { wireRecording } from "../wire/recording.ts"
import { wireTranscript } from "../wire/transcript.ts"
import { readChanges } from "./changes.ts"

/** The plain reads, which `plainReads.ts` answers past the router, too. */
export const reads = recordingReads(wireRecording)

/** GET /recordings and what is below it (specification, Endpoints). Services are taken at each request, never before. */
export const recordings = HttpApiBuilder.group(v2.Api, "recordings", (handlers) =>
  handlers
    .handle("list", ({ query }) => reads.list(query))
    .handle("get", ({ params }) => reads.get(params.uuid))
    .handleRaw(
      "update",
      Effect.fnUntraced(function* ({ params, request }) {
        const caller = yield* CurrentCaller
        const { get, update } = yield* Recordings
        const changes = yield* readChanges(request, Effect.mapError(get(caller, params.uuid), notFound))
        const owned = yield* Effect.mapError(update(caller, params.uuid, changes), notFound)
        return jsonBytes(reads.json(owned, yield* ServiceConfig).bytes)
      })
    )
    .handle(
      "download",
      Effect.fnUntraced(function* ({ params, request }) {
        const caller = yield* CurrentCaller
        const { download } = yield* Recordings
        return yield* downloadVideo(download(caller, params.uuid, beginsDownload(request)), request)
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
