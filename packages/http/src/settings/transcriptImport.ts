import { PayloadTooLarge, UnsupportedMediaType } from "@tapedeck/contract"
import type { TranscriptText } from "@tapedeck/core"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { mediaType, textBody } from "../jsonBody.ts"
import type { BodyLimit } from "../requestBody.ts"

/** A long transcript, with a time for each word, is larger than other JSON may be. */
export const importLimit: BodyLimit = {
  maxBytes: 16 * 1024 * 1024,
  tooLarge: new PayloadTooLarge({ message: "The transcript is larger than 16 MiB" })
}

const formats: Readonly<Record<string, TranscriptText["format"]>> = {
  "text/vtt": "webvtt",
  "application/x-subrip": "subrip",
  "application/json": "json",
  "text/plain": "text"
}

/** The body as a transcript, in the format that its type says. What it says is core's to read, once there is such a recording (R1). */
export const transcriptOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const type = mediaType(request) ?? ""
  const format = Object.hasOwn(formats, type) ? formats[type] : undefined
  if (format === undefined) {
    const message = `Content-Type must be one of ${Object.keys(formats).join(", ")}`
    return yield* new UnsupportedMediaType({ message })
  }
  const given: TranscriptText = { format, text: yield* textBody }
  return given
})
