import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { errorV1, errorV2 } from "../src/errors.ts"
import {
  type ApiError,
  BadRequest,
  Conflict,
  ErrorV1,
  ErrorV2,
  errorBody,
  errorHeaders,
  errorStatus,
  Forbidden,
  InsufficientStorage,
  Internal,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  PreconditionFailed,
  RangeNotSatisfiable,
  ServiceUnavailable,
  TooManyRequests,
  Unauthenticated,
  Unprocessable,
  UnsupportedMediaType,
  UriTooLong
} from "../src/index.ts"

const message = "Because"

const errors: ReadonlyArray<readonly [ApiError, number, Record<string, string>]> = [
  [new BadRequest({ message }), 400, {}],
  [new Unauthenticated({ message }), 401, { "www-authenticate": "Bearer" }],
  [new Forbidden({ message }), 403, {}],
  [new NotFound({ message }), 404, {}],
  [new MethodNotAllowed({ message, allow: ["GET", "HEAD"] }), 405, { allow: "GET, HEAD" }],
  [new Conflict({ message }), 409, {}],
  [new PayloadTooLarge({ message }), 413, {}],
  [new UriTooLong({ message }), 414, {}],
  [new UnsupportedMediaType({ message }), 415, {}],
  [new PreconditionFailed({ message }), 412, {}],
  [new RangeNotSatisfiable({ message, sizeBytes: 10 }), 416, { "content-range": "bytes */10" }],
  [new Unprocessable({ message }), 422, {}],
  [new TooManyRequests({ message, retryAfterSeconds: 7 }), 429, { "retry-after": "7" }],
  [new Internal({ message }), 500, {}],
  [new ServiceUnavailable({ message, retryAfterSeconds: 1 }), 503, { "retry-after": "1" }],
  [new InsufficientStorage({ message }), 507, {}]
]

/** Those that a client learns more of than their message: from their headers. */
const inHeaders = new Set(["MethodNotAllowed", "RangeNotSatisfiable", "TooManyRequests", "ServiceUnavailable"])

describe.each(errors.map(([error, status, headers]) => [error._tag, error, status, headers] as const))(
  "%s",
  (tag, error, status, headers) => {
    it("has its status and headers (Errors; R2, R18, R20)", () => {
      expect(errorStatus(error)).toBe(status)
      expect(errorHeaders(error)).toEqual(headers)
    })

    it("has v2's and v1's body", () => {
      expect(errorBody("v2", error)).toEqual({ error: message })
      expect(errorBody("v1", error)).toEqual({ error: { message, code: status } })
      Schema.decodeUnknownSync(ErrorV2)(errorBody("v2", error))
      Schema.decodeUnknownSync(ErrorV1)(errorBody("v1", error))
    })

    it("is equal after encoding, and a client catches it by its tag", () => {
      for (const [wire, version] of [
        [errorV2(tag, "When."), "v2"],
        [errorV1(tag, "When."), "v1"]
      ] as const) {
        const codec = wire as Schema.Codec<ApiError, unknown>
        const sent = Schema.encodeSync(codec)(error)
        const body = errorBody(version, error)
        expect(sent).toEqual(inHeaders.has(tag) ? { body, headers } : body)
        expect(Schema.decodeUnknownSync(codec)(sent)).toEqual(error)
      }
    })
  }
)
