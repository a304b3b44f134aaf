import { stat } from "node:fs/promises"
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http"
import { pipeline } from "node:stream"
import { type SpokenMedia, Transcriber, TranscriptionFailed } from "@tapedeck/core"
import { Repairs } from "@tapedeck/domain/capture"
import { parseTranscript } from "@tapedeck/domain/transcript"
import { Effect, Layer, Redacted } from "effect"
import { logRepairs } from "./logRepairs.ts"
import { type Multipart, multipartOf } from "./multipart.ts"

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

/** Maximum length of the endpoint's error in the log, in characters. */
const maxErrorLength = 300

/** Statuses that are not retried. */
const permanentStatuses = new Set([400, 413, 415, 422])

/** Transcribes with an endpoint that is compatible with OpenAI's `/v1/audio/transcriptions`. */
export const layerEndpointTranscriber = (options: EndpointOptions): Layer.Layer<Transcriber> => {
  const target = new URL(options.url)
  target.pathname = [...target.pathname.split("/").filter((part) => part !== ""), "audio", "transcriptions"].join("/")
  const where = `${target.origin}${target.pathname}`
  const key = options.key === undefined ? undefined : Redacted.value(options.key)

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

  /** The endpoint's error may contain the key. */
  const withoutKey = (problem: string) => (key === undefined ? problem : problem.replaceAll(key, "…"))

  /** A failure with a message for the log. */
  const failure = (problem: string, again: boolean) =>
    new TranscriptionFailed({ reason: `${where} ${withoutKey(problem)}`, again })

  const post = (form: Multipart) =>
    send(
      target,
      {
        "content-type": form.contentType,
        "content-length": form.contentLength,
        accept: "application/json",
        ...(key !== undefined && { authorization: `Bearer ${key}` })
      },
      form
    ).pipe(Effect.mapError((problem) => failure(problem, true)))

  const sent = Effect.fnUntraced(function* ({ contentType, path }: SpokenMedia, wanted: EndpointOptions["format"]) {
    const { size } = yield* Effect.promise(() => stat(path))
    const form = multipartOf(fieldsOf(wanted), {
      name: "file",
      fileName: `recording.${extensions[contentType] ?? "bin"}`,
      contentType,
      path,
      sizeBytes: size
    })
    return yield* post(form)
  })

  const transcribe = Effect.fnUntraced(function* (media: SpokenMedia) {
    const wanted = format
    let answer = yield* sent(media, wanted)
    if (wanted === "verbose_json" && refusesFormat(answer)) {
      format = "json"
      yield* Effect.logWarning("The transcription endpoint refused verbose_json; transcripts have no times", {
        model: options.model,
        reason: withoutKey(errorTextOf(answer.status, answer.body)).slice(2),
        remedy: "set TAPEDECK_TRANSCRIBER_FORMAT to json, or use a model that gives times"
      })
      answer = yield* sent(media, format)
    }
    const { body, status } = answer
    if (status !== 200) {
      return yield* failure(`responded with ${status}${errorTextOf(status, body)}`, !permanentStatuses.has(status))
    }
    const repairs = new Repairs()
    const transcript = yield* Effect.mapError(
      Effect.fromResult(parseTranscript("json", body, repairs)),
      ({ message }) => failure(`responded with an invalid transcript: ${message}`, true)
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

interface Answer {
  readonly status: number
  readonly body: string
}

/** Sends the form and reads the whole response. The failure is a message. Closes the connection when it is interrupted. */
const send = (target: URL, headers: RequestOptions["headers"], form: Multipart): Effect.Effect<Answer, string> =>
  Effect.callback<Answer, string>((resume) => {
    const fail = (error: Error) => resume(Effect.fail(`is not reachable: ${error.message}`))
    let ended = false
    let stop = () => {}
    void requestFor(target).then((request) => {
      if (ended) return
      const sent = request(target, { method: "POST", headers: headers ?? {}, agent: false })
      stop = () => sent.destroy()
      sent.once("error", fail)
      sent.once("response", (response) => {
        void read(response).then((body) => resume(Effect.succeed({ status: response.statusCode ?? 0, body })), fail)
      })
      // Ignores a broken pipe: an endpoint that refuses early has responded with the reason.
      pipeline(form.body, sent, () => undefined)
    }, fail)
    return Effect.sync(() => {
      ended = true
      stop()
      form.body.destroy()
    })
  })

/** Loads TLS only if it is used. */
const requestFor = async (target: URL) =>
  target.protocol === "https:" ? (await import("node:https")).request : httpRequest

const read = async (response: IncomingMessage): Promise<string> => {
  const pieces: Array<Buffer> = []
  let size = 0
  for await (const piece of response) {
    size += (piece as Buffer).length
    if (size > maxResponseBytes) throw new Error(`the response is longer than ${maxResponseBytes} bytes`)
    pieces.push(piece as Buffer)
  }
  return Buffer.concat(pieces).toString("utf8")
}

/** Returns whether the model has no `verbose_json`, or no times, as OpenAI's gpt-4o-transcribe. */
const refusesFormat = ({ body, status }: Answer): boolean =>
  (status === 400 || status === 422) && /response_format|timestamp_granularities|verbose_json/.test(body)

/** The endpoint's error. Empty if it refuses the key, because it may quote a part of it. */
const errorTextOf = (status: number, body: string): string => {
  const words = body.trim().replace(/\s+/g, " ").slice(0, maxErrorLength)
  return status === 401 || status === 403 || words === "" ? "" : `: ${words}`
}
