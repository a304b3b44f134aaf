import type { JsonSchema } from "./schemas.ts"

export interface Header {
  readonly description: string
  readonly required?: boolean
  readonly schema: JsonSchema
}

const header = (description: string, example: string): Header => ({
  description,
  required: true,
  schema: { type: "string", examples: [example] }
})

const integerHeader = (description: string, example: number): Header => ({
  description,
  required: true,
  schema: { type: "integer", minimum: 0, examples: [example] }
})

/** The headers of responses, each documented once, as a component of the document. */
export const headers = {
  "X-Request-Id": header(
    "Id of this request in the log of the service. Quote it when you report a problem.",
    "3d0e1f52-8a44-4b0e-9d57-0c5f7c2f8a11"
  ),
  "WWW-Authenticate": header("Authentication scheme that `Authorization` requires.", "Bearer"),
  "Retry-After": integerHeader("Time until the request can be sent again, in seconds.", 30),
  "Idempotency-Replayed": {
    ...header(
      "Present if an earlier request had the same `Idempotency-Key`. This request had no further effect.",
      "true"
    ),
    required: false
  },
  Allow: header("Methods that the path supports.", "GET, HEAD, PATCH"),
  "Content-Disposition": header(
    "Name of the file, in ASCII and, as `filename*`, in UTF-8.",
    "attachment; filename=\"Checkout fails.mp4\"; filename*=UTF-8''Checkout%20fails.mp4"
  ),
  "Content-Length": integerHeader("Length of the body, in bytes.", 1_048_576),
  ETag: header("Version of the file, for `If-None-Match` and `If-Range`.", '"9f86d081884c7d65"'),
  "Accept-Ranges": header("Unit of supported ranges.", "bytes"),
  "Content-Range": header(
    "Range of bytes in the body, and size of the file; `bytes */<size>` if the requested range is unavailable.",
    "bytes 0-1023/1048576"
  )
} satisfies Record<string, Header>

export type HeaderName = keyof typeof headers

/** Returns the headers of a response besides the request's id. `isKeyed`: the request can have an `Idempotency-Key`. */
export const headersOf = (status: number, isFile: boolean, isKeyed: boolean): ReadonlyArray<HeaderName> => {
  if (isKeyed && (status < 300 || status === 404 || status === 409)) return ["Idempotency-Replayed"]
  switch (status) {
    case 200:
      return isFile ? ["Content-Disposition", "Content-Length", "ETag", "Accept-Ranges"] : []
    case 206:
      return ["Content-Disposition", "Content-Length", "Content-Range", "ETag", "Accept-Ranges"]
    case 304:
      return ["ETag"]
    case 401:
      return ["WWW-Authenticate"]
    case 405:
      return ["Allow"]
    case 416:
      return ["Content-Range"]
    case 429:
    case 503:
      return ["Retry-After"]
    default:
      return []
  }
}
