import {
  type JobHandlers,
  type MediaClaim,
  type MediaJobs,
  type StorePart,
  type SummaryClaim,
  SummaryJobs,
  Transcriber
} from "@tapedeck/core"
import { Context, Duration, Effect, Fiber, Layer, type Redacted, Scope } from "effect"
import type { SummarizerOptions } from "./endpointSummarizer.ts"
import type { WorkResources } from "./job.ts"
import { runProcess } from "./runProcess.ts"
import { makeVideoTools } from "./VideoTools.ts"
import { runJob } from "./work.ts"
import { cleanWorkDirectories } from "./workFiles.ts"

export type TranscriberChoice =
  | {
      readonly kind: "endpoint"
      readonly url: string
      readonly model: string
      readonly key: Redacted.Redacted | undefined
      readonly words: boolean
      readonly format: "verbose_json" | "json"
      /** Maximum length of the sound of one request. */
      readonly partSeconds: number
    }
  | { readonly kind: "command"; readonly words: ReadonlyArray<string> }

export interface MediaOptions {
  /** Name or path; with `off`, videos stay as they were uploaded. */
  readonly ffmpeg: string
  readonly transcriber: TranscriberChoice | null
  readonly summarizer: SummarizerOptions | null
  /** Maximum length of the transcript that the summarizer gets, in characters. */
  readonly maxSummarizedCharacters: number
  /** Maximum number of concurrent jobs. */
  readonly concurrency: number
  /** Maximum time of a job, with all of its programs. */
  readonly timeoutMs: number
  /** Maximum length of a video. */
  readonly maxSeconds: number
  /** Maximum size of a file that is created. */
  readonly maxFileBytes: number
  /** Maximum size of the address space of ffmpeg. */
  readonly maxMemoryBytes: number
  /** Names of variables that programs get besides PATH, HOME, LANG and TMPDIR. */
  readonly passEnvironment: ReadonlyArray<string>
  /** Directory of working copies, which last as long as their job. */
  readonly directory: string
}

/** The handlers of media jobs. They share the tools, which are searched once, as long as the scope lasts. */
export const mediaHandlers = Effect.fnUntraced(function* (options: MediaOptions) {
  // Started with the first job, so that it does not slow the start of the server, and not ended by the end of that job.
  const [looking, forget] = yield* Effect.cachedInvalidateWithTTL(
    Effect.forkIn(findTools(options), yield* Effect.scope),
    Duration.infinity
  )
  const tools = Effect.tapError(Effect.flatMap(looking, Fiber.join), () => forget)
  const transcriber = yield* transcriberOf(options)
  const { directory, maxSeconds, timeoutMs } = options
  const partSeconds = options.transcriber?.kind === "endpoint" ? options.transcriber.partSeconds : null
  const handlers = yield* handlersOn({ directory, maxSeconds, partSeconds, timeoutMs, tools, transcriber })
  const summaries = yield* SummaryJobs
  const summarizer = yield* summarizerOf(options)
  const { maxSummarizedCharacters: maxCharacters } = options
  return {
    ...handlers,
    summarize: (claim: SummaryClaim) => summaries.run(claim, { summarizer, maxCharacters })
  }
})

/** The handlers of media jobs with these resources. Working copies of an earlier process are removed. */
export const handlersOn = Effect.fnUntraced(function* (resources: WorkResources) {
  yield* Effect.catchCause(cleanWorkDirectories(resources.directory), (cause) =>
    Effect.logWarning("working copies of an earlier process could not be removed", cause)
  )
  const run = (claim: MediaClaim) => runJob(resources, claim)
  return { process: run, transcribe: run, trim: run } satisfies JobHandlers<MediaJobs | StorePart<"files">>
})

/** Returns the tools; null without ffmpeg. An ffmpeg that exists and does not run may run for the next job. */
const findTools = Effect.fnUntraced(function* (options: MediaOptions) {
  const { ffmpeg, passEnvironment } = options
  if (ffmpeg === "off") return null
  const tools = makeVideoTools(options)
  const probe = { directory: "/", timeoutMs: 30_000, maxOutputBytes: 1024 * 1024, passEnvironment }
  const found = yield* Effect.result(
    Effect.all([runProcess(ffmpeg, ["-version"], probe), runProcess(tools.ffprobe, ["-version"], probe)])
  )
  if (found._tag === "Success") return tools
  if (found.failure.reason !== "not_found") return yield* found.failure
  yield* Effect.logWarning("Videos are served as uploaded, without duration and thumbnail", {
    reason: found.failure.message,
    remedy: "set TAPEDECK_FFMPEG to the path of ffmpeg, or to off"
  })
  return null
})

const summarizerOf = Effect.fnUntraced(function* ({ summarizer }: MediaOptions) {
  if (summarizer === null) return null
  const { makeEndpointSummarizer } = yield* Effect.promise(() => import("./endpointSummarizer.ts"))
  return makeEndpointSummarizer(summarizer)
})

const transcriberOf = Effect.fnUntraced(function* ({ passEnvironment, transcriber }: MediaOptions) {
  if (transcriber === null) return null
  const layer = yield* Effect.promise(async () => {
    if (transcriber.kind === "command") {
      const { layerCommandTranscriber } = await import("./commandTranscriber.ts")
      return layerCommandTranscriber({ words: transcriber.words, passEnvironment })
    }
    const { layerEndpointTranscriber } = await import("./endpointTranscriber.ts")
    return layerEndpointTranscriber(transcriber)
  })
  return Context.get(yield* Scope.provide(Layer.build(layer), yield* Effect.scope), Transcriber)
})
