import { stat } from "node:fs/promises"
import { ProviderFailed, type SpokenMedia, Transcriber } from "@tapedeck/core"
import { Repairs } from "@tapedeck/domain/capture"
import { parseTranscript } from "@tapedeck/domain/transcript"
import { Effect, Layer, type Redacted } from "effect"
import { type EndpointAnswer, makeEndpoint, permanentStatuses } from "./endpoint.ts"
import { logRepairs } from "./logRepairs.ts"
import { multipartOf } from "./multipart.ts"

export interface EndpointOptions {
  /** The URL up to `/v1`. */
  readonly url: string
  readonly model: string
  readonly key: Redacted.Redacted | undefined
  /** True requests the time of each word. */
  readonly words: boolean
  readonly format: "verbose_json" | "json"
}

type Field = readonly [name: string, value: string]

/** Maximum size of a response. */
const maxResponseBytes = 64 * 1024 * 1024

/** Transcribes with an endpoint that is compatible with OpenAI's `/v1/audio/transcriptions`. */
export const layerEndpointTranscriber = (options: EndpointOptions): Layer.Layer<Transcriber> => {
  const { errorTextOf, post, where } = makeEndpoint({ ...options, path: "audio/transcriptions", maxResponseBytes })

  const times: ReadonlyArray<Field> = [
    ["timestamp_granularities[]", "segment"],
    ...(options.words ? ([["timestamp_granularities[]", "word"]] as const) : [])
  ]

  /** The format of the next request. A model that refuses times refuses them always. */
  let format = options.format

  const fieldsOf = (wanted: EndpointOptions["format"]): ReadonlyArray<Field> => [
    ["model", options.model],
    ["response_format", wanted],
    ...(wanted === "verbose_json" ? times : [])
  ]

  /** The detail, such as the endpoint's own text, is for the log alone. */
  const failure = (problem: string, again: boolean, detail = "") =>
    new ProviderFailed({ reason: `${where} ${problem}${detail}`, problem: `the transcriber ${problem}`, again })

  const sent = Effect.fnUntraced(function* ({ contentType, path }: SpokenMedia, wanted: EndpointOptions["format"]) {
    const { size } = yield* Effect.promise(() => stat(path))
    const form = multipartOf(fieldsOf(wanted), {
      name: "file",
      fileName: `recording.${extensions[contentType] ?? "bin"}`,
      contentType,
      path,
      sizeBytes: size
    })
    return yield* Effect.mapError(post(form), ({ detail, problem }) => failure(problem, true, detail))
  })

  const transcribe = Effect.fnUntraced(function* (media: SpokenMedia) {
    const wanted = format
    let answer = yield* sent(media, wanted)
    if (wanted === "verbose_json" && refusesFormat(answer)) {
      format = "json"
      yield* Effect.logWarning("The transcription endpoint refused verbose_json; transcripts have no times", {
        model: options.model,
        reason: errorTextOf(answer).slice(2),
        remedy: "set TAPEDECK_TRANSCRIBER_FORMAT to json, or use a model that gives times"
      })
      answer = yield* sent(media, format)
    }
    const { body, status } = answer
    if (status !== 200) {
      return yield* failure(`responded with ${status}`, !permanentStatuses.has(status), errorTextOf(answer))
    }
    const repairs = new Repairs()
    const transcript = yield* Effect.mapError(
      Effect.fromResult(parseTranscript("json", body, repairs)),
      ({ message }) => failure("responded with an invalid transcript", true, `: ${message}`)
    )
    yield* logRepairs(repairs, { model: options.model, recording_uuid: media.recordingUuid })
    return transcript
  })

  return Layer.succeed(Transcriber, Transcriber.of({ transcribe }))
}

/** Extensions of the file name by content type. Some services read the format from the name. */
const extensions: Readonly<Record<string, string>> = {
  "audio/mp4": "m4a",
  "video/mp4": "mp4",
  "video/webm": "webm",
  "video/quicktime": "mov"
}

/** Returns whether the model has no `verbose_json`, or no times, as OpenAI's gpt-4o-transcribe. */
const refusesFormat = ({ body, status }: EndpointAnswer): boolean =>
  (status === 400 || status === 422) && /response_format|timestamp_granularities|verbose_json/.test(body)
