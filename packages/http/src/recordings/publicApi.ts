import { BadRequest, v1, v2 } from "@tapedeck/contract"
import {
  type Caller,
  type OwnedRecording,
  RecordingContent,
  Recordings,
  ServiceConfig,
  stage,
  type TicketSearch,
  Users
} from "@tapedeck/core"
import {
  type Provider,
  parseRecordingUuid,
  platformOfProvider,
  type RecordingChanges,
  validateChanges
} from "@tapedeck/domain"
import { decodedAs } from "@tapedeck/domain/input"
import { Context, Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { contractEndpoints } from "../contractEndpoints.ts"
import { jsonBody } from "../jsonBody.ts"
import { jsonBytes, listAnswer, wirePagination } from "../responses.ts"
import type { Params } from "../routes.ts"
import { beginsDownload, downloadVideo } from "./download.ts"
import { flatRecording } from "./wire/flatRecording.ts"
import { type RecordingConfig, readyJson, wireRecording } from "./wire/recording.ts"
import { wireTranscript } from "./wire/transcript.ts"
import { wireUser } from "./wire/user.ts"

interface ListQuery {
  readonly page?: number
  readonly ticket_id?: string
  readonly provider?: Provider
}

/** The search in a list query (N4, N6). */
export const ticketSearch = ({ provider, ticket_id: ticketId }: ListQuery): { readonly ticket?: TicketSearch } => {
  if (ticketId === undefined) return {}
  return { ticket: provider === undefined ? { ticketId } : { ticketId, platform: platformOfProvider(provider) } }
}

/** Returns the rule of an unknown recording: the text is not a UUID (R5), or the caller cannot see the recording (R4). */
const noRecording = ({ uuid = "" }: Params) => (parseRecordingUuid(uuid) === undefined ? "R5" : "R4")

const ofRecording = { 400: "R9", 404: noRecording, 409: "R12" }

/** The list of recordings and one of them, in the shape of a version. */
const recordingReads = <Wire>(toWire: (owned: OwnedRecording, config: RecordingConfig) => Wire) => {
  const json = readyJson(toWire)
  const list = ({ caller, query }: { readonly caller: Caller; readonly query: ListQuery }) =>
    Effect.contextWith((context: Context.Context<Recordings | ServiceConfig>) => {
      const listed = Context.get(context, Recordings).list(caller, { page: query.page ?? 1, ...ticketSearch(query) })
      const config = Context.get(context, ServiceConfig)
      return Effect.flatMap(listed, ({ pagination, recordings }) =>
        listAnswer(wirePagination(pagination), recordings, (owned) => json(owned, config))
      )
    })
  const get = ({ caller, params }: { readonly caller: Caller; readonly params: { readonly uuid: string } }) =>
    Effect.contextWith((context: Context.Context<Recordings | ServiceConfig>) => {
      const found = Context.get(context, Recordings).get(caller, params.uuid)
      const config = Context.get(context, ServiceConfig)
      return Effect.map(found, (owned) => jsonBytes(json(owned, config).bytes))
    })
  return { json, list, get }
}

const flat = recordingReads(flatRecording)
const whole = recordingReads(wireRecording)

/** The changes of a PATCH: 400 for a body that is no change. Values that are not allowed are 422, after the look-up (R1, R11). */
const readChanges = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const changes = validateChanges(yield* jsonBody(request))
  if (Result.isSuccess(changes)) return decodedAs(changes.success)
  const { failure } = changes
  if (failure._tag === "MalformedChanges") return yield* new BadRequest({ message: failure.message })
  return decodedAs<RecordingChanges>(
    {},
    failure.errors.map(({ field, message }) => ({ path: [field], message }))
  )
})

/** The recordings of v2, and what is below them (specification, Endpoints). */
const recordings = contractEndpoints(v2.Api.groups.recordings, {
  list: {
    rules: { 400: "R9" },
    parameterRules: { ticket_id: "R10", provider: "R10" },
    answer: whole.list
  },
  get: { rules: ofRecording, answer: whole.get },
  update: {
    rules: { 400: "R11", 404: noRecording, 422: "R11" },
    answer: Effect.fnUntraced(function* ({ caller, params, request }) {
      const { update } = yield* RecordingContent
      const owned = yield* update(caller, params.uuid, yield* stage("decode", readChanges(request)))
      return jsonBytes(whole.json(owned, yield* ServiceConfig).bytes)
    })
  },
  download: {
    rules: ofRecording,
    answer: Effect.fnUntraced(function* ({ caller, params, request }) {
      const { download } = yield* RecordingContent
      return yield* downloadVideo(download(caller, params.uuid, beginsDownload(request)), request)
    })
  },
  transcript: {
    rules: ofRecording,
    answer: Effect.fnUntraced(function* ({ caller, params, query }) {
      const { transcript } = yield* RecordingContent
      return wireTranscript(yield* transcript(caller, params.uuid, query.page ?? 1))
    })
  }
})

/** The users of v2 (specification, Endpoints). */
const users = contractEndpoints(v2.Api.groups.users, {
  list: {
    rules: { 400: "R9" },
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const { list } = yield* Users
      const page = yield* list(caller, query.page ?? 1)
      return { pagination: wirePagination(page.pagination), users: page.users.map(wireUser) }
    })
  },
  search: {
    rules: { 400: "R16", 404: "Errors" },
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const { search } = yield* Users
      return wireUser(yield* search(caller, query.email))
    })
  }
})

/** The legacy reads (specification, Legacy v1; R17). */
const legacy = contractEndpoints(v1.Api.groups.recordings, {
  list: { rules: { 400: "R9" }, answer: flat.list },
  get: { rules: ofRecording, answer: flat.get }
})

export const publicApi = [...recordings, ...users, ...legacy]
