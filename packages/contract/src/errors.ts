import { Schema, SchemaTransformation } from "effect"
import { HttpApiSchema } from "effect/http-api"

/**
 * Errors of the API. Handlers fail with these classes, and clients catch them. On the wire, each is a status and one of two
 * bodies. Only this module names statuses.
 */

const fields = { message: Schema.String }

/** The request is malformed. `lines` has the numbers of the unreadable lines of a log. */
export class BadRequest extends Schema.TaggedError<BadRequest>()("BadRequest", {
  ...fields,
  lines: Schema.optionalKey(Schema.Array(Schema.Int))
}) {}

/** The token is missing, invalid or revoked, or its user is deactivated. */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", fields) {}

/** The account has no API access, or the caller's role does not allow the operation. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", fields) {}

export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", fields) {}

/** The path does not support the method. `allow` has the methods that it supports (sent as `Allow`). */
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()("MethodNotAllowed", {
  ...fields,
  allow: Schema.Array(Schema.String)
}) {}

/** The resource existed, and has permanently ended. */
export class Gone extends Schema.TaggedError<Gone>()("Gone", fields) {}

export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", fields) {}

/** A condition of the request (`If-Match` or `If-Unmodified-Since`) is false. */
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

/** The caller has sent too many requests. The next one is allowed after `retryAfterSeconds` (sent as `Retry-After`). */
export class TooManyRequests extends Schema.TaggedError<TooManyRequests>()("TooManyRequests", {
  ...fields,
  retryAfterSeconds: Schema.Int
}) {}

/** The server is out of memory for request bodies, or concurrent changes kept the database from making this one. Retry after
 * `retryAfterSeconds` (sent as `Retry-After`).
 */
export class ServiceUnavailable extends Schema.TaggedError<ServiceUnavailable>()("ServiceUnavailable", {
  ...fields,
  retryAfterSeconds: Schema.Int
}) {}

/** The server is out of storage space. Nothing was stored. */
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

/** The headers that an error adds to its response. `scheme` is the scheme that `Authorization` requires. */
export const errorHeaders = (error: ApiError, scheme = "Bearer"): Record<string, string> => {
  switch (error._tag) {
    case "Unauthenticated":
      return { "www-authenticate": scheme }
    case "MethodNotAllowed":
      return { allow: error.allow.join(", ") }
    case "RangeNotSatisfiable":
      return { "content-range": `bytes */${error.sizeBytes}` }
    case "Gone":
      // Browsers cache a 410 permanently, and a use of the link may be returned to it.
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
    description: "Error message.",
    examples: ["Recording not found"]
  })
}).annotate({ identifier: "Error", description: "Error of a request." })

/** The error body of v2 for lines of a log. */
const LogError = Schema.Struct({
  ...ErrorV2.fields,
  lines: Schema.optionalKey(Schema.Array(Schema.Int)).annotate({
    description:
      "Numbers of the unreadable lines of the body, counted from 1, in ascending order; at most the first 1,000. The header and blank " +
      "lines count. Nothing of the body was stored: send it again without these lines. Omitted for other errors.",
    examples: [[3, 7]]
  })
}).annotate({ identifier: "LogError", description: "Error of a log." })

/** The error body of v1. */
export const ErrorV1 = Schema.Struct({
  error: Schema.Struct({
    message: Schema.String.annotate({
      description: "Error message.",
      examples: ["Recording not found"]
    }),
    code: Schema.Int.annotate({ description: "HTTP status.", examples: [404] })
  }).annotate({ description: "Error of a request." })
}).annotate({ identifier: "Error", description: "Error of a request." })

/** Fields of an error that only a header carries. */
interface Carried {
  readonly header: string
  /** Reads the fields of the error. A header that a proxy removed or changed gives empty fields. */
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
  // Each class is a codec of its own instances; TypeScript cannot infer that from the index signature.
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
        // The fields of the pair depend on a type parameter, which the library's own type does not resolve.
        decode: (pair) => {
          const { body, headers } = pair as { readonly body: Body["Type"]; readonly headers: Record<string, string> }
          return new Class({ message: codec.message(body), ...read(headers[header] ?? "") })
        },
        encode: (error) => ({ body: codec.body(error), headers: errorHeaders(error) }) as never
      }
    )
  ).annotate({ description })
  // Handlers and clients see the same type; only HttpApi uses the encoding.
  return withHeader as unknown as typeof plain
}

/** An error in the shape of v2. `description` is its text in the OpenAPI document: when an endpoint returns it. */
export const errorV2 = <Tag extends ApiErrorTag>(tag: Tag, description: string) =>
  wire(tag, description, ErrorV2, {
    message: (body) => body.error,
    body: (error) => ({ error: error.message })
  })

/** The error of a log that has unreadable lines, in the shape of v2. */
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

/** An error in the shape of v1. */
export const errorV1 = <Tag extends ApiErrorTag>(tag: Tag, description: string) =>
  wire(tag, description, ErrorV1, {
    message: (body) => body.error.message,
    body: (error) => ({ error: { message: error.message, code: errorStatus(error) } })
  })
