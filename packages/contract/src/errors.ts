import { Schema, SchemaTransformation } from "effect"
import { HttpApiSchema } from "effect/http-api"

/**
 * What the API answers when it refuses. The classes are what handlers fail with and what a client catches; on the wire
 * each is a status and one of two bodies. Statuses are named here and nowhere else.
 */

const fields = { message: Schema.String }

/** `lines`: the numbers of the lines of a log that cannot be read. */
export class BadRequest extends Schema.TaggedError<BadRequest>()("BadRequest", {
  ...fields,
  lines: Schema.optionalKey(Schema.Array(Schema.Int))
}) {}

/** The token is missing, invalid, revoked, or its user is deactivated. */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", fields) {}

/** The account has no API access, or the caller's role does not allow the operation. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", fields) {}

export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", fields) {}

/** The path exists, for the methods of `allow` only (sent as `Allow`). */
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()("MethodNotAllowed", {
  ...fields,
  allow: Schema.Array(Schema.String)
}) {}

/** It was there, and does not come back. */
export class Gone extends Schema.TaggedError<Gone>()("Gone", fields) {}

export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", fields) {}

/** `If-Match` or `If-Unmodified-Since` does not hold. */
export class PreconditionFailed extends Schema.TaggedError<PreconditionFailed>()("PreconditionFailed", fields) {}

export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>()("PayloadTooLarge", fields) {}

export class UriTooLong extends Schema.TaggedError<UriTooLong>()("UriTooLong", fields) {}

export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()("UnsupportedMediaType", fields) {}

/** The range starts past the end of a file of `sizeBytes` (sent as `Content-Range`). */
export class RangeNotSatisfiable extends Schema.TaggedError<RangeNotSatisfiable>()("RangeNotSatisfiable", {
  ...fields,
  sizeBytes: Schema.Int
}) {}

export class Unprocessable extends Schema.TaggedError<Unprocessable>()("Unprocessable", fields) {}

/** Another request may be made after `retryAfterSeconds` (sent as `Retry-After`). */
export class TooManyRequests extends Schema.TaggedError<TooManyRequests>()("TooManyRequests", {
  ...fields,
  retryAfterSeconds: Schema.Int
}) {}

/**
 * The server has no memory for the body now, or the database no turn for the change; try again after `retryAfterSeconds` (sent as
 * `Retry-After`).
 */
export class ServiceUnavailable extends Schema.TaggedError<ServiceUnavailable>()("ServiceUnavailable", {
  ...fields,
  retryAfterSeconds: Schema.Int
}) {}

/** There is no room left to keep what was sent. */
export class InsufficientStorage extends Schema.TaggedError<InsufficientStorage>()("InsufficientStorage", fields) {}

export class Internal extends Schema.TaggedError<Internal>()("Internal", fields) {}

const classes = {
  BadRequest,
  Unauthenticated,
  Forbidden,
  NotFound,
  MethodNotAllowed,
  Conflict,
  Gone,
  PreconditionFailed,
  PayloadTooLarge,
  UriTooLong,
  UnsupportedMediaType,
  RangeNotSatisfiable,
  Unprocessable,
  TooManyRequests,
  Internal,
  ServiceUnavailable,
  InsufficientStorage
}

export type ApiErrorTag = keyof typeof classes

export type ApiError = InstanceType<(typeof classes)[ApiErrorTag]>

const status: Record<ApiErrorTag, number> = {
  BadRequest: 400,
  Unauthenticated: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  Conflict: 409,
  Gone: 410,
  PreconditionFailed: 412,
  PayloadTooLarge: 413,
  UriTooLong: 414,
  UnsupportedMediaType: 415,
  RangeNotSatisfiable: 416,
  Unprocessable: 422,
  TooManyRequests: 429,
  Internal: 500,
  ServiceUnavailable: 503,
  InsufficientStorage: 507
}

export type ApiVersion = "v1" | "v2"

export const errorStatus = (error: ApiError): number => status[error._tag]

type ErrorBody = typeof ErrorV2.Type | typeof LogError.Type | typeof ErrorV1.Type

/** The body of an error, in the shape of the requested version. */
export const errorBody = (version: ApiVersion, error: ApiError): ErrorBody => {
  const { message } = error
  if (version === "v1") return { error: { message, code: errorStatus(error) } }
  const lines = error._tag === "BadRequest" ? error.lines : undefined
  return { error: message, ...(lines !== undefined && { lines }) }
}

/** The headers that belong to an error. `scheme` is what `Authorization` has to begin with. */
export const errorHeaders = (error: ApiError, scheme = "Bearer"): Record<string, string> => {
  switch (error._tag) {
    case "Unauthenticated":
      return { "www-authenticate": scheme }
    case "MethodNotAllowed":
      return { allow: error.allow.join(", ") }
    case "RangeNotSatisfiable":
      return { "content-range": `bytes */${error.sizeBytes}` }
    case "Gone":
      // Browsers cache a 410 for ever, and a link's use may be given back.
      return { "cache-control": "no-store" }
    case "TooManyRequests":
    case "ServiceUnavailable":
      return { "retry-after": String(error.retryAfterSeconds) }
    default:
      return {}
  }
}

/** The error body of v2. */
export const ErrorV2 = Schema.Struct({
  error: Schema.String.annotate({
    description: "What went wrong, for people to read.",
    examples: ["Recording not found"]
  })
}).annotate({ identifier: "Error", description: "Why the request was refused." })

/** The error body of v2 for lines of a log. */
const LogError = Schema.Struct({
  ...ErrorV2.fields,
  lines: Schema.optionalKey(Schema.Array(Schema.Int)).annotate({
    description:
      "Numbers of the lines of the body that cannot be read, ascending from 1, the first 1,000 at most. The header and blank lines " +
      "count. Send the body again without these lines: nothing of it was stored. Absent if lines are not the problem.",
    examples: [[3, 7]]
  })
}).annotate({ identifier: "LogError", description: "Why a log was refused." })

/** The error body of v1. */
export const ErrorV1 = Schema.Struct({
  error: Schema.Struct({
    message: Schema.String.annotate({
      description: "What went wrong, for people to read.",
      examples: ["Recording not found"]
    }),
    code: Schema.Int.annotate({ description: "The HTTP status.", examples: [404] })
  }).annotate({ description: "Why the request was refused." })
}).annotate({ identifier: "Error", description: "Why the request was refused." })

/** What of an error its headers alone carry. */
interface Carried {
  readonly header: string
  /** The fields of the error; a header that something on the way took out, or broke, gives the empty ones. */
  readonly read: (text: string) => Readonly<Record<string, unknown>>
}

const secondsIn = (text: string) => ({ retryAfterSeconds: /^\d{1,15}$/.test(text) ? Number(text) : 0 })

const carried: Partial<Record<ApiErrorTag, Carried>> = {
  MethodNotAllowed: {
    header: "allow",
    read: (text) => ({
      allow: text
        .split(",")
        .map((method) => method.trim())
        .filter((method) => method !== "")
    })
  },
  RangeNotSatisfiable: {
    header: "content-range",
    read: (text) => ({ sizeBytes: Number(/^bytes \*\/(\d{1,15})$/.exec(text)?.[1] ?? 0) })
  },
  TooManyRequests: { header: "retry-after", read: secondsIn },
  ServiceUnavailable: { header: "retry-after", read: secondsIn }
}

const wire = <Tag extends ApiErrorTag, Body extends Schema.Codec<unknown, unknown>>(
  tag: Tag,
  description: string,
  body: Body,
  codec: { readonly message: (body: Body["Type"]) => string; readonly body: (error: ApiError) => Body["Type"] }
) => {
  // Each class is a codec of its own instances; the index signature alone is what TypeScript cannot follow.
  const Class = classes[tag] as unknown as Schema.Codec<InstanceType<(typeof classes)[Tag]>, unknown> &
    (new (props: {
      readonly message: string
    }) => InstanceType<(typeof classes)[Tag]>)
  const plain = body
    .pipe(
      Schema.decodeTo(
        Schema.toType(Class),
        SchemaTransformation.transform({
          decode: (value: Body["Type"]) => new Class({ message: codec.message(value) }),
          encode: codec.body
        })
      ),
      HttpApiSchema.status(status[tag])
    )
    .annotate({ description })
  const inHeader = carried[tag]
  if (inHeader === undefined) return plain
  const { header, read } = inHeader
  const withHeader = Class.pipe(
    HttpApiSchema.encodeToWithHeaders(
      {
        body: body.pipe(HttpApiSchema.status(status[tag])),
        headers: { [header]: Schema.optionalKey(Schema.String) }
      },
      {
        // What the pair has depends on a type parameter, which the library's own type does not resolve.
        decode: (pair) => {
          const { body, headers } = pair as { readonly body: Body["Type"]; readonly headers: Record<string, string> }
          return new Class({ message: codec.message(body), ...read(headers[header] ?? "") })
        },
        encode: (error) => ({ body: codec.body(error), headers: errorHeaders(error) }) as never
      }
    )
  ).annotate({ description })
  // What it is for handlers and clients is the same; how it is encoded is HttpApi's own business.
  return withHeader as unknown as typeof plain
}

/** An error as v2 sends it; `description` says in the OpenAPI document when an endpoint answers so. */
export const errorV2 = <Tag extends ApiErrorTag>(tag: Tag, description: string) =>
  wire(tag, description, ErrorV2, {
    message: (body) => body.error,
    body: (error) => ({ error: error.message })
  })

/** The refusal of a log whose lines cannot be read. */
export const logErrorV2 = (description: string) =>
  HttpApiSchema.status(status.BadRequest)(
    LogError.pipe(
      Schema.decodeTo(
        Schema.toType(BadRequest),
        SchemaTransformation.transform({
          decode: ({ error, ...body }: typeof LogError.Type) => new BadRequest({ message: error, ...body }),
          encode: ({ lines, message }) => ({ error: message, ...(lines !== undefined && { lines }) })
        })
      )
    )
  ).annotate({ description })

/** An error as v1 sends it. */
export const errorV1 = <Tag extends ApiErrorTag>(tag: Tag, description: string) =>
  wire(tag, description, ErrorV1, {
    message: (body) => body.error.message,
    body: (error) => ({ error: { message: error.message, code: errorStatus(error) } })
  })
