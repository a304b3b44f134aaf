import { type OwnedRecording, Recordings, ServiceConfig } from "@tapedeck/core"
import { Context, Effect } from "effect"
import { CurrentCaller } from "./CurrentCaller.ts"
import { notFound } from "./refusals.ts"
import { jsonBytes, jsonPieces } from "./responses.ts"
import { type TicketQuery, ticketSearch } from "./ticketSearch.ts"
import { listBody } from "./wire/listBody.ts"
import { readyJson } from "./wire/ready.ts"
import type { RecordingConfig } from "./wire/recording.ts"

/** The list of recordings and one of them, in the shape of a version, by what the contract lets their queries be. */
export const recordingReads = <Wire>(toWire: (owned: OwnedRecording, config: RecordingConfig) => Wire) => {
  const recordingJson = readyJson(toWire)

  const list = Effect.fnUntraced(function* (query: TicketQuery & { readonly page?: number }) {
    const caller = yield* CurrentCaller
    const config = yield* ServiceConfig
    const { list } = yield* Recordings
    const page = yield* list(caller, { page: query.page ?? 1, ...ticketSearch(query) })
    const records = page.recordings.map((owned) => recordingJson(owned, config))
    return jsonPieces(listBody(page.pagination, records))
  })

  const get = (uuid: string) =>
    Effect.contextWith((context: Context.Context<CurrentCaller | Recordings | ServiceConfig>) => {
      const found = Context.get(context, Recordings).get(Context.get(context, CurrentCaller), uuid)
      const config = Context.get(context, ServiceConfig)
      return Effect.mapBoth(found, {
        onFailure: notFound,
        onSuccess: (owned) => jsonBytes(recordingJson(owned, config).bytes)
      })
    })

  return { json: recordingJson, list, get }
}
