import { UnsupportedMediaType } from "@tapedeck/contract"
import { Malformed, type Upload } from "@tapedeck/core"
import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { declaredBytes } from "../requestBody.ts"

type Request = HttpServerRequest.HttpServerRequest

/** RFC 9110, 8.3.1, parameters and all. */
const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+[ \t]*(;.*)?$/

/** The body as a file, with its type: it is written down as it comes, and never held in memory. Nothing of it is read yet. */
export const uploadOf = Effect.fnUntraced(function* (request: Request) {
  const encoding = request.headers["content-encoding"]
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    return yield* new UnsupportedMediaType({ message: "The file must come without a Content-Encoding" })
  }
  const contentType = request.headers["content-type"]?.trim() ?? "application/octet-stream"
  if (!mediaType.test(contentType)) {
    return yield* new UnsupportedMediaType({ message: "Content-Type must be a media type such as video/webm" })
  }
  const sizeBytes = declaredBytes(request)
  const upload: Upload<Malformed> = {
    contentType,
    ...(sizeBytes !== undefined && { sizeBytes }),
    bytes: Stream.mapError(request.stream, () => new Malformed({ reason: "The body broke off" }))
  }
  return upload
})
