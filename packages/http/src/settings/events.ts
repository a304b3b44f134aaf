import { operationOf, ServiceUnavailable, settings, TooManyRequests } from "@tapedeck/contract"
import {
  authorize,
  type Caller,
  type ChangeLog,
  type ChangeNotice,
  type ChangeReader,
  ChangeWatch,
  type PublicChange
} from "@tapedeck/core"
import { Clock, Context, Effect, Option, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { identifyAgain } from "../pipeline/authenticate.ts"
import type { Services } from "../routes.ts"
import { settingsEndpointsOf } from "./idempotency.ts"

/** Open streams of one user, and of the process. */
const maxOfUser = 10
const maxOpen = 500

const heartbeat = "15 seconds"

/** Number of open streams by user, in each world or process. */
const openOf = new WeakMap<ChangeLog, Map<number, number>>()
let open = 0

const count = (log: ChangeLog, userId: number, by: 1 | -1) => {
  const users = openOf.get(log) ?? new Map<number, number>()
  openOf.set(log, users)
  open += by
  const left = (users.get(userId) ?? 0) + by
  if (left === 0) users.delete(userId)
  else users.set(userId, left)
}

/** R4: recordings as their owner and admins see them; deliveries are for admins. */
const isVisibleTo = ({ account, user }: Caller, change: PublicChange): boolean => {
  if (change.accountId !== account.id) return false
  if (user.role === "admin") return true
  return "ownerId" in change && (change.ownerId === "any" || change.ownerId === user.id)
}

const eventText = (name: string, data: unknown, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

const noticeText = ({ change, id }: ChangeNotice): string =>
  change === null ? eventText("reset", {}, id) : eventText(change.kind, change.data, id)

const encoder = new TextEncoder()

/** The next text of the stream, and whether it is the last. */
type Piece = readonly [text: string, isLast: boolean]

const closed = (reason: string): Piece => [eventText("closed", { reason }), true]

const streaming = operationOf(settings.Api.groups.events.endpoints.stream)!

/** Watches a caller's changes until the reader is cut off, or is no caller any more. */
const piecesOf = (log: ChangeLog, reader: ChangeReader, state: { caller: Caller }) => {
  const identify = Effect.gen(function* () {
    const services = yield* Effect.context<Services>()
    const request = Context.get(services, HttpServerRequest.HttpServerRequest)
    const caller = yield* identifyAgain(request, services)
    yield* authorize(caller, streaming)
    state.caller = caller
  })
  const news = Effect.callback<void>((resume) => {
    reader.onNews(() => resume(Effect.void))
    return Effect.sync(() => reader.onNews(null))
  })
  return Effect.gen(function* (): Effect.fn.Return<Piece, never, Services> {
    const isNews = yield* Effect.timeoutOption(news, heartbeat).pipe(
      Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
    )
    if (reader.cut !== null) return closed(reader.cut)
    if (Option.isNone(isNews)) reader.mustIdentify = true
    if (reader.mustIdentify) {
      reader.mustIdentify = false
      const isCaller = yield* Effect.match(identify, { onFailure: () => false, onSuccess: () => true })
      if (!isCaller) return closed("access_revoked")
    }
    const notices = reader.take().filter(({ change }) => change === null || isVisibleTo(state.caller, change))
    return [notices.length === 0 ? `id: ${log.lastId}\n: still here\n\n` : notices.map(noticeText).join(""), false]
  })
}

const streamOf = (log: ChangeLog, caller: Caller, lastId: string | undefined) =>
  Stream.unwrap(
    Effect.sync(() => {
      const state = { caller }
      const reader = log.open(lastId, (change) => isVisibleTo(state.caller, change))
      count(log, caller.user.id, 1)
      const pieces = piecesOf(log, reader, state)
      const first = `retry: 2000\n${eventText("ready", {}, lastId === undefined ? log.lastId : undefined)}`
      return Stream.paginate<Piece | null, Uint8Array, never, Services>(null, (before) =>
        Effect.map(before === null ? Effect.succeed<Piece>([first, false]) : pieces, (piece) => [
          [encoder.encode(piece[0])],
          piece[1] ? Option.none() : Option.some<Piece | null>(piece)
        ])
      ).pipe(
        Stream.ensuring(
          Effect.sync(() => {
            log.close(reader)
            count(log, caller.user.id, -1)
          })
        )
      )
    })
  )

/** Endpoint that streams changes. */
export const events = settingsEndpointsOf(settings.Api.groups.events, {
  stream: {
    answer: Effect.fnUntraced(function* ({ caller, request }) {
      const { log } = yield* ChangeWatch
      if ((openOf.get(log)?.get(caller.user.id) ?? 0) >= maxOfUser) {
        return yield* new TooManyRequests({ message: `You have ${maxOfUser} event streams open`, retryAfterSeconds: 5 })
      }
      if (open >= maxOpen) {
        return yield* new ServiceUnavailable({
          message: `The server has ${maxOpen} event streams open`,
          retryAfterSeconds: 5
        })
      }
      const headers = { "cache-control": "no-store", "x-accel-buffering": "no" }
      const contentType = "text/event-stream"
      if (request.method === "HEAD")
        return HttpServerResponse.empty({ status: 200, headers: { ...headers, "content-type": contentType } })
      const services = yield* Effect.context<Services>()
      const stream = Stream.provideContext(streamOf(log, caller, request.headers["last-event-id"]), services)
      return HttpServerResponse.stream(stream, { contentType, headers })
    })
  }
})
