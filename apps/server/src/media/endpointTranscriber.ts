import { stat } from "node:fs/promises"
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http"
import { pipeline } from "node:stream"
import { type SpokenMedia, Transcriber, TranscriptionFailed } from "@tapedeck/core"
import { parseTranscript } from "@tapedeck/domain"
import { Effect, Layer, Redacted } from "effect"
import { type Multipart, multipartOf } from "./multipart.ts"

export interface EndpointOptions {
  /** Up to `/v1`. */
  readonly url: string
  readonly model: string
  readonly key: Redacted.Redacted | undefined
  /** Whether it is asked for the time of each word. */
  readonly words: boolean
  readonly timeoutMs: number
}

/** No transcript is longer. */
const maxAnswerBytes = 64 * 1024 * 1024

/** How much of what it complains about goes to the log. */
const complaintLength = 300

/** Answers to a file that no other try will make better. */
const hopeless = new Set([400, 413, 415, 422])

/** Turns speech into text by any endpoint that answers as OpenAI's `/v1/audio/transcriptions` does. */
export const layerEndpointTranscriber = (options: EndpointOptions): Layer.Layer<Transcriber> => {
  const target = new URL(options.url)
  target.pathname = [...target.pathname.split("/").filter((part) => part !== ""), "audio", "transcriptions"].join("/")
  const where = `${target.origin}${target.pathname}`
  const key = options.key === undefined ? undefined : Redacted.value(options.key)

  const fields: ReadonlyArray<readonly [string, string]> = [
    ["model", options.model],
    ["response_format", "verbose_json"],
    ["timestamp_granularities[]", "segment"],
    ...(options.words ? ([["timestamp_granularities[]", "word"]] as const) : [])
  ]

  /** In words for the log. A key that comes back with a complaint does not get there. */
  const failure = (problem: string, again: boolean) =>
    new TranscriptionFailed({ reason: `${where} ${key === undefined ? problem : problem.replaceAll(key, "…")}`, again })

  const ask = (form: Multipart) =>
    send(
      target,
      {
        "content-type": form.contentType,
        "content-length": form.contentLength,
        accept: "application/json",
        ...(key !== undefined && { authorization: `Bearer ${key}` })
      },
      form
    ).pipe(
      Effect.mapError((problem) => failure(problem, true)),
      Effect.timeoutOrElse({
        duration: options.timeoutMs,
        orElse: () => Effect.fail(failure(`did not answer within ${options.timeoutMs} ms`, true))
      })
    )

  const transcribe = Effect.fnUntraced(function* ({ contentType, path }: SpokenMedia) {
    const { size } = yield* Effect.promise(() => stat(path))
    const form = multipartOf(fields, {
      name: "file",
      fileName: `recording.${extensions[contentType] ?? "bin"}`,
      contentType,
      path,
      sizeBytes: size
    })
    const { body, status } = yield* ask(form)
    if (status !== 200) {
      return yield* failure(`answered ${status}${complaintIn(status, body)}`, !hopeless.has(status))
    }
    return yield* Effect.mapError(Effect.fromResult(parseTranscript("json", body)), ({ message }) =>
      failure(`answered what is no transcript: ${message}`, true)
    )
  })

  return Layer.succeed(Transcriber, Transcriber.of({ transcribe }))
}

/** By the name of the file some services tell what is in it. */
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

/** Sends the form, and reads the whole answer. The failure says what went wrong. Interrupted, the connection ends. */
const send = (target: URL, headers: RequestOptions["headers"], form: Multipart): Effect.Effect<Answer, string> =>
  Effect.callback<Answer, string>((resume) => {
    const fail = (error: Error) => resume(Effect.fail(`could not be asked: ${error.message}`))
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
      // Whoever refuses early is heard: a broken pipe is not what went wrong then.
      pipeline(form.body, sent, () => undefined)
    }, fail)
    return Effect.sync(() => {
      ended = true
      stop()
      form.body.destroy()
    })
  })

/** TLS is loaded where it is used. */
const requestFor = async (target: URL) =>
  target.protocol === "https:" ? (await import("node:https")).request : httpRequest

const read = async (response: IncomingMessage): Promise<string> => {
  const pieces: Array<Buffer> = []
  let size = 0
  for await (const piece of response) {
    size += (piece as Buffer).length
    if (size > maxAnswerBytes) throw new Error(`the answer is longer than ${maxAnswerBytes} bytes`)
    pieces.push(piece as Buffer)
  }
  return Buffer.concat(pieces).toString("utf8")
}

/** What it says about it. Where it refuses the key, nothing: it may quote a part of it. */
const complaintIn = (status: number, body: string): string => {
  const words = body.trim().replace(/\s+/g, " ").slice(0, complaintLength)
  return status === 401 || status === 403 || words === "" ? "" : `: ${words}`
}
