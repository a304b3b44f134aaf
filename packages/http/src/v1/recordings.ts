import { v1 } from "@tapedeck/contract"
import { Recordings, ServiceConfig } from "@tapedeck/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../CurrentCaller.ts"
import { notFound } from "../refusals.ts"
import { jsonBytes, jsonPieces } from "../responses.ts"
import { flatRecording } from "../wire/flatRecording.ts"
import { listBody } from "../wire/listBody.ts"
import { readyJson } from "../wire/ready.ts"

const flatJson = readyJson(flatRecording)

/** The legacy reads (specification, Legacy v1; R17). */
export const recordings = HttpApiBuilder.group(v1.Api, "recordings", (handlers) =>
  handlers
    .handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        const config = yield* ServiceConfig
        const { list } = yield* Recordings
        const page = yield* list(yield* CurrentCaller, { page: query.page ?? 1 })
        const records = page.recordings.map((owned) => flatJson(owned, config))
        return jsonPieces(listBody(page.pagination, records))
      })
    )
    .handle(
      "get",
      Effect.fnUntraced(function* ({ params }) {
        const { get } = yield* Recordings
        const owned = yield* Effect.mapError(get(yield* CurrentCaller, params.uuid), notFound)
        return jsonBytes(flatJson(owned, yield* ServiceConfig).bytes)
      })
    )
)
