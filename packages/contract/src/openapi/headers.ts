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

/** The headers of the answers, each documented once, as components of the document. */
export const headers = {
  "X-Request-Id": header(
    "Names this request in the log of the service; quote it when you report a problem.",
    "3d0e1f52-8a44-4b0e-9d57-0c5f7c2f8a11"
  ),
  "WWW-Authenticate": header("The scheme that `Authorization` needs.", "Bearer"),
  "Retry-After": integerHeader("Seconds until the request may be made again.", 30),
  "Idempotency-Replayed": {
    ...header("An earlier request had the same `Idempotency-Key`: nothing was done again.", "true"),
    required: false
  },
  Allow: header("The methods that the path exists for.", "GET, HEAD, PATCH"),
  "Content-Disposition": header(
    "The file's name, in ASCII and, as `filename*`, in UTF-8.",
    "attachment; filename=\"Checkout fails.mp4\"; filename*=UTF-8''Checkout%20fails.mp4"
  ),
  "Content-Length": integerHeader("Length of the body in bytes.", 1_048_576),
  ETag: header("Names this state of the file, for `If-None-Match` and `If-Range`.", '"9f86d081884c7d65"'),
  "Accept-Ranges": header("Ranges of bytes are supported.", "bytes"),
  "Content-Range": header(
    "Which bytes of how many; `bytes */<size>` where the range cannot be had.",
    "bytes 0-1023/1048576"
  )
} satisfies Record<string, Header>

export type HeaderName = keyof typeof headers

/** Which headers an answer carries besides the request's id; `isKeyed` where the request may have an `Idempotency-Key`. */
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
