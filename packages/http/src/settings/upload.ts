import { type PayloadTooLarge, UnsupportedMediaType } from "@tapedeck/contract"
import { Malformed, type Upload, UploadLimit, UploadTooLarge } from "@tapedeck/core"
import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { refused } from "./refusals.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Whether the body is a file: then JSON's limit is not meant for it. */
export const isUpload = (method: string, path: string | null): boolean =>
  method === "PUT" && path !== null && /^\/api\/settings\/recordings\/[^/]+\/video$/.test(path)

/** Refuses a file that says it is too large, before anything else is looked at (R1). One that says nothing is counted as it comes. */
export const limitUpload = (request: Request): Effect.Effect<void, PayloadTooLarge> =>
  Effect.flatMap(UploadLimit, ({ maxBytes }) =>
    Number(request.headers["content-length"] ?? 0) > maxBytes
      ? Effect.fail(refused(new UploadTooLarge({ limitBytes: maxBytes })))
      : Effect.void
  )

/** RFC 9110, 8.3.1, parameters and all. */
const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+[ \t]*(;.*)?$/

/** The body as a file, with its type. Nothing of it is read yet. */
export const uploadOf = Effect.fnUntraced(function* (request: Request) {
  const encoding = request.headers["content-encoding"]
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    return yield* new UnsupportedMediaType({ message: "The file must come without a Content-Encoding" })
  }
  const contentType = request.headers["content-type"]?.trim() ?? "application/octet-stream"
  if (!mediaType.test(contentType)) {
    return yield* new UnsupportedMediaType({ message: "Content-Type must be a media type such as video/webm" })
  }
  const upload: Upload<Malformed> = {
    contentType,
    bytes: Stream.mapError(request.stream, () => new Malformed({ reason: "The body broke off" }))
  }
  return upload
})
