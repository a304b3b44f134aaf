import { type IncomingMessage, STATUS_CODES } from "node:http"
import type { ApiVersion } from "@tapedeck/contract"
import type { FaultOutcome } from "@tapedeck/fixtures"
import { splitTarget } from "@tapedeck/http"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { isOfConsole } from "../journal/origin.ts"
import type { World } from "../world/World.ts"
import { takeFault } from "./Faults.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** In-process requests whose connection a fault reset: there is no connection, so `fetch` rejects. */
const resetInProcess = new WeakSet<object>()

export const wasReset = (request: object): boolean => resetInProcess.has(request)

/** The response of the oldest matching fault, before anything else, 401 included; null if none matches. */
export const answerFault = (world: World, request: Request, version: ApiVersion): Effect.Effect<Response> | null => {
  if (world.environment.faults.list.length === 0) return null
  const { path } = splitTarget(request.url)
  const token = /^bearer +([^ ].*)$/i.exec(request.headers.authorization ?? "")?.[1]
  const taken = takeFault(world.environment.faults, { method: request.method, path, token })
  if (taken === null) return null
  const { faults, id, outcome } = taken
  world.update({ faults })
  world.note({ kind: "fault", id, method: request.method, path, outcome })
  const response = typeof outcome === "string" ? null : responseOf(outcome, version)
  world.note(
    {
      kind: "request",
      method: request.method,
      path: request.url,
      status: response?.status ?? 0,
      user: null,
      rule: id,
      origin: isOfConsole(request) ? "console" : "program"
    },
    world.now(),
    { body: null, response: response ?? HttpServerResponse.empty() }
  )
  // A timeout has no answer. The request ends with the caller, or with the world's state.
  if (outcome === "timeout") return Effect.andThen(Effect.interruptible(world.untilEnd), reset(request))
  return response === null ? reset(request) : Effect.succeed(response)
}

const reset = (request: Request): Effect.Effect<Response> => {
  const { socket } = request.source as Partial<IncomingMessage>
  if (socket === undefined) {
    resetInProcess.add(request.source)
    return Effect.succeed(HttpServerResponse.empty({ status: 500 }))
  }
  // Effect's HTTP server runs an app uninterruptibly. Only an interruption ends this one: the end of the socket or of the emulator.
  return Effect.andThen(
    Effect.sync(() => socket.resetAndDestroy()),
    Effect.interruptible(Effect.never)
  )
}

const responseOf = (outcome: Exclude<FaultOutcome, "reset" | "timeout">, version: ApiVersion): Response => {
  const { body, headers = {}, status } = typeof outcome === "number" ? { status: outcome } : { headers: {}, ...outcome }
  if (body !== undefined)
    return HttpServerResponse.text(body, { status, headers, contentType: contentTypeOf(headers, body) })
  if (status < 400) return HttpServerResponse.empty({ status, headers })
  const message = STATUS_CODES[status] ?? "Error"
  const shape = version === "v1" ? { error: { message, code: status } } : { error: message }
  return HttpServerResponse.text(JSON.stringify(shape), { status, headers, contentType: "application/json" })
}

const contentTypeOf = (headers: Readonly<Record<string, string>>, body: string): string => {
  const given = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1]
  return given ?? (/^\s*[[{]/.test(body) ? "application/json" : "text/plain; charset=utf-8")
}
