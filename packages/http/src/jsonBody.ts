import { BadRequest, PayloadTooLarge, UnsupportedMediaType } from "@tapedeck/contract"
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"

type Request = HttpServerRequest.HttpServerRequest

/** No JSON body may be larger (issue: limit on JSON). */
const maxBytes = 1024 * 1024

const tooLarge = new PayloadTooLarge({ message: "The body is larger than 1 MiB" })

const mediaType = (request: Request): string | undefined => {
  const contentType = request.headers["content-type"]
  return contentType === undefined ? undefined : contentType.split(";", 1)[0]?.trim().toLowerCase()
}

/** A body without a type is taken for JSON. */
const isJson = (request: Request): boolean => {
  const type = mediaType(request)
  return type === undefined || type === "application/json"
}

/**
 * Refuses a JSON body that is too large, whatever it is for: by its length where that is told, else by reading it, which
 * is kept for whoever reads it next. Bodies of GET are not read (R21).
 */
export const limitBody = (request: Request): Effect.Effect<void, PayloadTooLarge> | undefined => {
  const length = request.headers["content-length"]
  if (length !== undefined) return Number(length) > maxBytes && isJson(request) ? Effect.fail(tooLarge) : undefined
  if (request.method === "GET" || request.method === "HEAD" || !isJson(request)) return undefined
  return request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBytes)),
    // What else is wrong with a body is said when it is this request's turn to be decoded (R1).
    Effect.catch(({ reason }) =>
      reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? Effect.fail(tooLarge) : Effect.void
    ),
    Effect.asVoid
  )
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The request's JSON (R11, R20): 415 for another type, 400 for no body, for bytes that are not UTF-8, and for no JSON. */
export const jsonBody = Effect.fnUntraced(function* (request: Request) {
  if (!isJson(request)) {
    return yield* new UnsupportedMediaType({ message: "The body must be application/json" })
  }
  const bytes = yield* Effect.mapError(request.arrayBuffer, () => malformed("The body could not be read"))
  if (bytes.byteLength === 0) return yield* malformed("The body must not be empty")
  return yield* Effect.try({
    try: (): unknown => JSON.parse(utf8.decode(bytes)),
    catch: () => malformed("The body must be valid JSON")
  })
})

const malformed = (message: string) => new BadRequest({ message })
