import { readFileSync, writeFileSync } from "node:fs"
import {
  defaultServiceConfig,
  emptyWorld,
  Ids,
  type JobHandlers,
  MediaJobs,
  makeJobRunner,
  makeMemoryStore,
  ServiceConfig,
  type SpokenMedia,
  type Store,
  storeLayer,
  storeOf,
  Transcriber,
  UploadPolicy,
  useCases,
  Vault
} from "@tapedeck/core"
import { AccountId, type Instant, type Recording, sampleRecording } from "@tapedeck/domain"
import { jobIds, type MediaJob, MediaJobKind, queueKeyOf } from "@tapedeck/domain/internal/jobs"
import { noTranscript } from "@tapedeck/domain/internal/transcript"
import type { RecognizedTranscript } from "@tapedeck/domain/transcript"
import { Cause, Effect, Fiber, Layer, Logger, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { WorkResources } from "../../src/media/job.ts"
import { handlersOn } from "../../src/media/media.ts"
import { ProcessFailed } from "../../src/media/runProcess.ts"
import { VideoTools } from "../../src/media/VideoTools.ts"
import { aDirectory } from "./programs.ts"

const at = Date.UTC(2026, 0, 1) as Instant
const sample = sampleRecording(AccountId.make(1), at)
export const original = { fileId: "f1", contentType: "video/webm", sizeBytes: 5, etag: "e" }
export const uploaded: Recording = {
  ...sample,
  durationSeconds: null,
  video: { original, processed: null, edited: null },
  transcript: { ...noTranscript, status: "processing" }
}

export const aJob = (kind: MediaJob["kind"]): MediaJob => ({
  id: jobIds.media(kind, sample.uuid),
  recordingUuid: sample.uuid,
  kind,
  fileId: "f1",
  queueKey: queueKeyOf(kind, sample.accountId),
  maxSeconds: null,
  failedTries: 0,
  dueAt: at
})

export const hello: RecognizedTranscript = {
  language: "en",
  speakerMap: {},
  segments: [{ startSeconds: 0, endSeconds: 1, text: "Hello", sentences: [] }]
}

export type Tools = VideoTools["Service"]

/** Tools that make what they are asked for, at once. */
export const tools = (known: Partial<Tools> = {}): Tools =>
  VideoTools.of({
    ffprobe: "ffprobe",
    probe: () =>
      Effect.succeed({ durationSeconds: 1.6, hasVideo: true, size: null, hasAudio: true, playsEverywhere: false }),
    still: (from, to) => Effect.sync(() => writeFileSync(to, `still of ${readFileSync(from)}`)),
    playable: (from, to) =>
      Effect.sync(() => {
        writeFileSync(to, `playable ${readFileSync(from)}`)
        return true
      }),
    joined: (videos, to) =>
      Effect.sync(() => writeFileSync(to, `joined ${videos.map(({ path }) => readFileSync(path)).join(", ")}`)),
    trimmed: (from, to, { endSeconds, startSeconds }) =>
      Effect.sync(() => writeFileSync(to, `${startSeconds} to ${endSeconds} of ${readFileSync(from)}`)),
    sound: (from, to) => Effect.sync(() => writeFileSync(to, `sound of ${readFileSync(from)}`)),
    pauseIn: () => Effect.void as Effect.Effect<undefined>,
    soundPart: (from, to, { endSeconds, startSeconds }) =>
      Effect.sync(() => writeFileSync(to, `${startSeconds} to ${endSeconds} of ${readFileSync(from)}`)),
    ...known
  })

export const broken = new ProcessFailed({ reason: "failed", program: "ffmpeg", detail: "exited with 1: no such codec" })

export const transcriber = (transcribe: Transcriber["Service"]["transcribe"]) => Transcriber.of({ transcribe })

/** A transcriber that keeps the type and the content of what it gets. */
export const listening = (heard: Array<readonly [string, string]>) =>
  transcriber(({ contentType, path }: SpokenMedia) =>
    Effect.sync(() => {
      heard.push([contentType, readFileSync(path, "utf8")])
      return hello
    })
  )

export const servicesOn = (store: Store) =>
  MediaJobs.layer.pipe(
    Layer.provide(useCases),
    Layer.provideMerge(
      Layer.mergeAll(
        storeLayer(store),
        Layer.succeed(ServiceConfig, defaultServiceConfig),
        Vault.layer(Redacted.make(new Uint8Array(32))),
        Ids.layerRandom,
        Layer.succeed(UploadPolicy, { unknownContent: "refused" })
      )
    )
  )

export const limits = { timeoutMs: 30 * 60_000, maxSeconds: 3_600, partSeconds: 600 as number | null }

/** The media jobs of the sample. */
export const jobsOf = ({ jobs }: Store) =>
  jobs.byIds(MediaJobKind.literals.map((kind) => jobIds.media(kind, sample.uuid)))

/** Poll interval for due retries and expired leases, which wake no worker. */
const pollMs = 5_000

/** Runs jobs until it is interrupted, as the worker of deliveries does. */
export const runningJobs = <const Handlers extends JobHandlers<unknown>>(handlers: Handlers) =>
  Effect.gen(function* () {
    const { agenda } = yield* storeOf("agenda")
    const { slotFreed, start } = yield* makeJobRunner(handlers, { mail: 1, media: 1, capture: 1, step: 1, upkeep: 0 })
    const turn = Effect.gen(function* () {
      const changed = yield* Effect.forkChild(agenda.changed, { startImmediately: true })
      yield* start
      yield* Effect.raceAllFirst([Effect.sleep(pollMs), Fiber.join(changed), slotFreed])
      yield* Fiber.interrupt(changed)
    })
    return yield* Effect.forever(turn)
  }).pipe(Effect.scoped)

/** A worker with one slot for media jobs. */
export const mediaWorker = (resources: WorkResources) => Effect.flatMap(handlersOn(resources), runningJobs)

/** A store with an uploaded video, and a worker on it that is stopped at the end of `use`. */
export const working = <A>(
  resources: {
    readonly tools?: Tools | null
    readonly transcriber?: Transcriber["Service"] | null
    readonly directory?: string
    readonly limits?: Partial<typeof limits>
    /** Time passes by `TestClock` alone. */
    readonly isVirtual?: boolean
  },
  use: (world: {
    readonly store: Store
    readonly add: (kind: MediaJob["kind"]) => Effect.Effect<void>
    /** Once the recording has no more jobs that are due. */
    readonly done: Effect.Effect<Recording>
    readonly stop: Effect.Effect<void>
    readonly files: () => ReadonlyArray<string>
    readonly directory: string
    readonly log: ReadonlyArray<string>
  }) => Effect.Effect<A>
) => {
  const memory = makeMemoryStore(emptyWorld())
  const { store } = memory
  const { directory = aDirectory() } = resources
  const log: Array<string> = []
  const services = servicesOn(store)
  const body = Effect.gen(function* () {
    if (resources.isVirtual) yield* TestClock.setTime(at)
    yield* store.files.save("f1", { kind: "bytes", bytes: Buffer.from("video") })
    yield* store.recordings.save(uploaded)
    const worker = yield* Effect.forkScoped(
      mediaWorker({
        ...limits,
        ...resources.limits,
        directory,
        tools: Effect.succeed(resources.tools ?? null),
        transcriber: resources.transcriber ?? null
      })
    )
    const recording = Effect.map(store.recordings.byUuid(sample.uuid), (found) => found!)
    const isDone = Effect.map(jobsOf(store), (jobs) => jobs.every(({ dueAt }) => dueAt > at))
    const done: Effect.Effect<Recording> = Effect.gen(function* () {
      while (!(yield* isDone)) yield* Effect.yieldNow
      return yield* recording
    })
    return yield* use({
      store,
      add: (kind) => store.jobs.enqueue(aJob(kind)),
      done,
      stop: Effect.asVoid(Fiber.interrupt(worker)),
      files: () => memory.state().files.keysArray(),
      directory,
      log
    })
  })
  const logger = Logger.make(({ message }) => void log.push([message].flat().map(textOf).join(" ")))
  const clock = resources.isVirtual ? TestClock.layer() : Layer.empty
  return Effect.runPromise(Effect.provide(Effect.scoped(body), Layer.mergeAll(services, Logger.layer([logger]), clock)))
}

const textOf = (part: unknown): string => {
  if (Cause.isCause(part)) return Cause.pretty(part)
  return typeof part === "string" ? part : JSON.stringify(part)
}

/** The log line of a job that failed. */
export const failedLine = (kind: MediaJob["kind"], reason: string, outcome: "postponed" | "given_up"): string =>
  `media job failed ${JSON.stringify({ kind, recording_uuid: sample.uuid, reason, outcome })}`

export const contentOf = (store: Store, fileId: string | undefined) =>
  Effect.flatMap(store.files.read(fileId ?? "", 0, 100), (bytes) =>
    Effect.map(Stream.runCollect(bytes ?? Stream.empty), (pieces) => Buffer.concat(pieces).toString())
  )
