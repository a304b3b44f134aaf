import { BadRequest, PayloadTooLarge, settings, UnsupportedMediaType } from "@tapedeck/contract"
import {
  type ReadRecording,
  ServiceConfig,
  TranscriptSettings,
  type TranscriptText,
  transcriptObstacle
} from "@tapedeck/core"
import type { Repairs } from "@tapedeck/domain/capture"
import { captionFormatOf, transcriptText, UNKNOWN_ENCODING } from "@tapedeck/domain/transcript"
import { Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { bodyBytes, mediaType } from "../jsonBody.ts"
import { segmentPages } from "../pages/segmentPages.ts"
import type { BodyLimit } from "../pipeline/requestBody.ts"
import { wireSegment } from "../recordings/wire/transcript.ts"
import { settingsEndpointsOf } from "./idempotency.ts"

/** A whole transcript, as a reader sees it (R13, R14): the contract's `Transcript`, written a page of segments at a time. */
const wholeTranscript = Effect.fnUntraced(function* (
  { recording, transcript }: ReadRecording,
  more: { readonly transcript_repairs?: Pick<Repairs, "count" | "first"> } = {}
) {
  const { language, speakerMap, status } = transcript
  const head = JSON.stringify({
    recording_uuid: recording.uuid,
    status,
    request_blocked_by: transcriptObstacle(recording, (yield* ServiceConfig).mediaWork),
    language,
    speaker_map: speakerMap,
    ...more
  })
  const segments = Stream.map(segmentPages(transcript), ({ offset, segments }) => {
    const text = JSON.stringify(segments.map(wireSegment)).slice(1, -1)
    return offset === 0 ? text : `,${text}`
  })
  const body = Stream.make(`${head.slice(0, -1)},"segments":[`).pipe(
    Stream.concat(segments),
    Stream.concat(Stream.make("]}"))
  )
  return HttpServerResponse.stream(Stream.encodeText(body), { contentType: "application/json" })
})

/** A long transcript, with a time for each word, is larger than other JSON may be. */
const importLimit: BodyLimit = {
  maxBytes: 16 * 1024 * 1024,
  tooLarge: new PayloadTooLarge({ message: "The transcript is larger than 16 MiB" })
}

const formats: Readonly<Record<string, TranscriptText["format"]>> = {
  "text/vtt": "webvtt",
  "application/x-subrip": "subrip",
  "application/srt": "subrip",
  "text/srt": "subrip",
  "application/json": "json",
  "text/plain": "text"
}

/**
 * The body as a transcript, in the format of its media type; the format of captions that are sent as plain text is recognized. Core
 * parses it after the look-up of the recording (R1).
 */
const transcriptOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const type = mediaType(request) ?? ""
  const format = Object.hasOwn(formats, type) ? formats[type] : undefined
  if (format === undefined) {
    const message = `Content-Type must be one of ${Object.keys(formats).join(", ")}`
    return yield* new UnsupportedMediaType({ message })
  }
  const text = transcriptText(yield* bodyBytes)
  if (text === null) return yield* new BadRequest({ message: `The body ${UNKNOWN_ENCODING}` })
  const given: TranscriptText = { format: format === "text" ? (captionFormatOf(text) ?? format) : format, text }
  return given
})

/** Endpoints of transcripts (R14, R15). */
export const transcripts = settingsEndpointsOf(settings.Api.groups.transcripts, {
  read: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { read } = yield* TranscriptSettings
      return yield* wholeTranscript(yield* read(caller, params.uuid))
    })
  },
  edit: {
    answer: Effect.fnUntraced(function* ({ caller, input, params }) {
      const { edit } = yield* TranscriptSettings
      return yield* wholeTranscript(yield* edit(caller, params.uuid, yield* input))
    })
  },
  import: {
    body: importLimit,
    answer: Effect.fnUntraced(function* ({ caller, params, request }) {
      const transcripts = yield* TranscriptSettings
      const given = yield* transcriptOf(request)
      const imported = yield* transcripts.import(caller, params.uuid, given)
      const { count, first } = imported.repairs
      return yield* wholeTranscript(imported, { transcript_repairs: { count, first } })
    })
  },
  request: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { request } = yield* TranscriptSettings
      return yield* wholeTranscript(yield* request(caller, params.uuid))
    })
  }
})
