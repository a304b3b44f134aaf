import { BadRequest, PayloadTooLarge, UnsupportedMediaType } from "@tapedeck/contract"
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"

type Request = HttpServerRequest.HttpServerRequest

/** Which bodies may be how large. */
export interface BodyLimit {
  readonly maxBytes: number
  readonly tooLarge: PayloadTooLarge
  readonly covers: (request: Request) => boolean
}

/** The type of the body, in lower case, without parameters. */
export const mediaType = (request: Request): string | undefined => {
  const contentType = request.headers["content-type"]
  return contentType === undefined ? undefined : contentType.split(";", 1)[0]?.trim().toLowerCase()
}

/** A body without a type is taken for JSON. */
const isJson = (request: Request): boolean => {
  const type = mediaType(request)
  return type === undefined || type === "application/json"
}

/** No JSON body may be larger, whatever it is for (issue: limit on JSON). */
const jsonLimit: BodyLimit = {
  maxBytes: 1024 * 1024,
  tooLarge: new PayloadTooLarge({ message: "The body is larger than 1 MiB" }),
  covers: isJson
}

/**
 * Refuses a body that is too large: by its length where that is told, else by reading it, which
 * is kept for whoever reads it next. Bodies of GET are not read (R21).
 */
export const limitBody = (
  request: Request,
  { covers, maxBytes, tooLarge }: BodyLimit = jsonLimit
): Effect.Effect<void, PayloadTooLarge> | undefined => {
  const length = request.headers["content-length"]
  if (length !== undefined) return Number(length) > maxBytes && covers(request) ? Effect.fail(tooLarge) : undefined
  if (request.method === "GET" || request.method === "HEAD" || !covers(request)) return undefined
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

/** The body as text: 400 for none, and for bytes that are not UTF-8. */
export const textBody = Effect.fnUntraced(function* (request: Request) {
  const bytes = yield* bytesOf(request)
  return yield* Effect.try({ try: () => utf8.decode(bytes), catch: () => malformed("The body must be UTF-8") })
})

/** The request's JSON (R11, R20): 415 for another type, 400 for no body, for bytes that are not UTF-8, and for no JSON. */
export const jsonBody = Effect.fnUntraced(function* (request: Request) {
  if (!isJson(request)) {
    return yield* new UnsupportedMediaType({ message: "The body must be application/json" })
  }
  const bytes = yield* bytesOf(request)
  return yield* Effect.try({
    try: (): unknown => JSON.parse(utf8.decode(bytes)),
    catch: () => malformed("The body must be valid JSON")
  })
})

const bytesOf = Effect.fnUntraced(function* (request: Request) {
  const bytes = yield* Effect.mapError(request.arrayBuffer, () => malformed("The body could not be read"))
  return bytes.byteLength === 0 ? yield* malformed("The body must not be empty") : bytes
})

const malformed = (message: string) => new BadRequest({ message })
