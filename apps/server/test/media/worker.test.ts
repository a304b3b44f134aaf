import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  AuditLog,
  Deliveries,
  emptyWorld,
  Ids,
  MediaJobs,
  makeMemoryStore,
  type SpokenMedia,
  Store,
  Transcriber,
  TranscriptionFailed
} from "@tapedeck/core"
import {
  AccountId,
  type Instant,
  type MediaJob,
  noTranscript,
  type RecognizedTranscript,
  type Recording,
  sampleRecording
} from "@tapedeck/domain"
import { Cause, Deferred, Effect, Fiber, Layer, Logger, Stream } from "effect"
import { describe, expect, test } from "vitest"
import { ProcessFailed } from "../../src/media/runProcess.ts"
import { VideoTools } from "../../src/media/VideoTools.ts"
import { mediaWorker } from "../../src/media/worker.ts"
import { aDirectory } from "./programs.ts"

const at = Date.UTC(2026, 0, 1) as Instant
const sample = sampleRecording(AccountId.make(1), at)
const original = { fileId: "f1", contentType: "video/webm", sizeBytes: 5, etag: "e" }
const uploaded: Recording = {
  ...sample,
  durationSeconds: null,
  video: { original, processed: null, edited: null },
  transcript: { ...noTranscript, status: "processing" }
}

const aJob = (kind: MediaJob["kind"]): MediaJob => ({
  recordingUuid: sample.uuid,
  kind,
  fileId: "f1",
  failedTries: 0,
  dueAt: at
})

const hello: RecognizedTranscript = {
  language: "en",
  speakerMap: {},
  segments: [{ startSeconds: 0, endSeconds: 1, text: "Hello", sentences: [] }]
}

type Tools = VideoTools["Service"]

/** Tools that make what they are asked for, at once. */
const tools = (known: Partial<Tools> = {}): Tools =>
  VideoTools.of({
    ffprobe: "ffprobe",
    probe: () => Effect.succeed({ durationSeconds: 1.6, hasVideo: true, hasAudio: true, playsEverywhere: false }),
    still: (from, to) => Effect.sync(() => writeFileSync(to, `still of ${readFileSync(from)}`)),
    playable: (from, to) =>
      Effect.sync(() => {
        writeFileSync(to, `playable ${readFileSync(from)}`)
        return true
      }),
    sound: (from, to) => Effect.sync(() => writeFileSync(to, `sound of ${readFileSync(from)}`)),
    ...known
  })

const broken = new ProcessFailed({ reason: "failed", program: "ffmpeg", detail: "ended with 1: no such codec" })

const transcriber = (transcribe: Transcriber["Service"]["transcribe"]) => Transcriber.of({ transcribe })

/** A store with an uploaded video, and a worker on it that is stopped at the end of `use`. */
const working = <A>(
  hands: {
    readonly tools?: Tools | null
    readonly transcriber?: Transcriber["Service"] | null
    readonly directory?: string
  },
  use: (world: {
    readonly store: Store["Service"]
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
  const { directory = aDirectory() } = hands
  const log: Array<string> = []
  const services = MediaJobs.layer.pipe(
    Layer.provide(AuditLog.layer),
    Layer.provide(Deliveries.layer),
    Layer.provideMerge(Layer.mergeAll(Layer.succeed(Store, store), Ids.layerRandom))
  )
  const body = Effect.gen(function* () {
    yield* store.files.save("f1", { kind: "bytes", bytes: Buffer.from("video") })
    yield* store.recordings.save(uploaded)
    const worker = yield* Effect.forkScoped(
      mediaWorker({
        directory,
        concurrency: 1,
        tools: Effect.succeed(hands.tools ?? null),
        transcriber: hands.transcriber ?? null
      })
    )
    const recording = Effect.map(store.recordings.byUuid(sample.uuid), (found) => found!)
    const isDone = Effect.map(store.mediaJobs.ofRecording(sample.uuid), (jobs) => jobs.every(({ dueAt }) => dueAt > at))
    const done: Effect.Effect<Recording> = Effect.gen(function* () {
      while (!(yield* isDone)) yield* Effect.yieldNow
      return yield* recording
    })
    return yield* use({
      store,
      add: (kind) => store.mediaJobs.add(aJob(kind)),
      done,
      stop: Effect.asVoid(Fiber.interrupt(worker)),
      files: () => memory.state().files.keysArray(),
      directory,
      log
    })
  })
  const logger = Logger.make(({ message }) => void log.push([message].flat().map(textOf).join(" ")))
  return Effect.runPromise(Effect.provide(Effect.scoped(body), Layer.merge(services, Logger.layer([logger]))))
}

const textOf = (part: unknown): string => (Cause.isCause(part) ? Cause.pretty(part) : String(part))

const contentOf = (store: Store["Service"], fileId: string | undefined) =>
  Effect.flatMap(store.files.read(fileId ?? "", 0, 100), (bytes) =>
    Effect.map(Stream.runCollect(bytes ?? Stream.empty), (pieces) => Buffer.concat(pieces).toString())
  )

describe("A video that came in", () => {
  test("gets a length, a still and a file that plays; working copies are gone then", () =>
    working({ tools: tools() }, ({ add, directory, done, store }) =>
      Effect.gen(function* () {
        yield* add("process")
        const { durationSeconds, video } = yield* done
        expect(durationSeconds).toBe(2)
        expect(video.original).toEqual(original)
        expect(video.processed).toMatchObject({ contentType: "video/mp4", sizeBytes: 14 })
        expect(yield* contentOf(store, video.processed?.fileId)).toBe("playable video")
        expect(yield* contentOf(store, video.thumbnail?.fileId)).toBe("still of video")
        // Its own are what it removes last.
        while (readdirSync(directory).length > 0) yield* Effect.yieldNow
      })
    ))

  test("that plays everywhere is left as it is; without a still it is as good", () => {
    const hands = tools({ playable: () => Effect.succeed(false), still: () => Effect.fail(broken) })
    return working({ tools: hands }, ({ add, done, files }) =>
      Effect.gen(function* () {
        yield* add("process")
        expect((yield* done).video).toEqual(uploaded.video)
        expect(files()).toEqual(["f1"])
      })
    )
  })

  test("that ffmpeg cannot read stays as it was, and the log says why, with the recording's id", () =>
    working({ tools: tools({ probe: () => Effect.fail(broken) }) }, ({ add, done, log, store }) =>
      Effect.gen(function* () {
        yield* add("process")
        expect(yield* done).toEqual(uploaded)
        expect(yield* store.mediaJobs.ofRecording(sample.uuid)).toEqual([])
        expect(log).toEqual([`processing recording ${sample.uuid}: ffmpeg ended with 1: no such codec; it is given up`])
      })
    ))

  test("that was replaced while it was worked on keeps nothing of that work", () => {
    const begun = Deferred.makeUnsafe<void>()
    const goOn = Deferred.makeUnsafe<void>()
    const playable: Tools["playable"] = (from, to, probe) =>
      Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(goOn)).pipe(
        Effect.andThen(tools().playable(from, to, probe))
      )
    return working({ tools: tools({ playable }) }, ({ add, done, files, store }) =>
      Effect.gen(function* () {
        yield* add("process")
        yield* Deferred.await(begun)
        const replaced = { ...uploaded, video: { ...uploaded.video, original: { ...original, fileId: "f2" } } }
        yield* store.recordings.save(replaced)
        yield* Deferred.succeed(goOn, undefined)
        expect(yield* done).toEqual(replaced)
        while (files().length > 1) yield* Effect.yieldNow
        expect(files()).toEqual(["f1"])
      })
    )
  })
})

describe("A transcript that is asked for", () => {
  const listening = (heard: Array<readonly [string, string]>) =>
    transcriber(({ contentType, path }: SpokenMedia) =>
      Effect.sync(() => {
        heard.push([contentType, readFileSync(path, "utf8")])
        return hello
      })
    )

  test("is made of the sound alone where there is an ffmpeg, else of the video", async () => {
    for (const [hands, expected] of [
      [tools(), ["audio/mp4", "sound of video"]],
      [tools({ sound: () => Effect.fail(broken) }), ["video/webm", "video"]],
      [null, ["video/webm", "video"]]
    ] as const) {
      const heard: Array<readonly [string, string]> = []
      await working({ tools: hands, transcriber: listening(heard) }, ({ add, done, store }) =>
        Effect.gen(function* () {
          yield* add("transcribe")
          const { id, transcript } = yield* done
          expect(transcript).toMatchObject({ status: "ready", language: "en", processed: hello.segments.length })
          const segments = yield* store.recordingParts.segments(id, "processed", { offset: 0, limit: 100 })
          expect(segments).toEqual(hello.segments)
        })
      )
      expect(heard).toEqual([expected])
    }
  })

  test("of a video without sound is unavailable, and nobody is asked", async () => {
    const heard: Array<readonly [string, string]> = []
    const silent = tools({
      probe: () => Effect.succeed({ durationSeconds: 1, hasVideo: true, hasAudio: false, playsEverywhere: true })
    })
    await working({ tools: silent, transcriber: listening(heard) }, ({ add, done }) =>
      Effect.gen(function* () {
        yield* add("transcribe")
        expect((yield* done).transcript?.status).toBe("unavailable")
      })
    )
    expect(heard).toEqual([])
  })

  test("that fails is tried again later; where there is nobody to make it, it is unavailable", async () => {
    const failing = transcriber(() => Effect.fail(new TranscriptionFailed({ reason: "it answered 500", again: true })))
    await working({ transcriber: failing }, ({ add, done, log, store }) =>
      Effect.gen(function* () {
        yield* add("transcribe")
        expect((yield* done).transcript?.status).toBe("processing")
        expect(yield* store.mediaJobs.ofRecording(sample.uuid)).toMatchObject([{ failedTries: 1 }])
        expect(log).toEqual([`transcribing recording ${sample.uuid}: it answered 500; it is tried again later`])
      })
    )
    await working({}, ({ add, done, log }) =>
      Effect.gen(function* () {
        yield* add("transcribe")
        expect((yield* done).transcript?.status).toBe("unavailable")
        expect(log).toEqual([`transcribing recording ${sample.uuid}: there is no transcriber; it is given up`])
      })
    )
  })

  test("that breaks something here counts as one that failed: it is not tried without end", () =>
    working({ transcriber: transcriber(() => Effect.die(new Error("disk full"))) }, ({ add, done, log, store }) =>
      Effect.gen(function* () {
        yield* add("transcribe")
        yield* done
        expect(yield* store.mediaJobs.ofRecording(sample.uuid)).toMatchObject([{ failedTries: 1 }])
        expect(log).toEqual([`transcribing recording ${sample.uuid}: disk full; it is tried again later`])
      })
    ))

  test("is given back by a worker that is stopped: the next one has it at once", () => {
    const begun = Deferred.makeUnsafe<void>()
    let stopped = false
    const slow = transcriber(() =>
      Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
        Effect.onInterrupt(() =>
          Effect.sync(() => {
            stopped = true
          })
        )
      )
    )
    return working({ transcriber: slow }, ({ add, directory, stop, store }) =>
      Effect.gen(function* () {
        yield* add("transcribe")
        yield* Deferred.await(begun)
        expect(readdirSync(directory)).toHaveLength(1)
        expect(yield* store.mediaJobs.claim({ limit: 9, leaseMs: 1 })).toEqual([])
        yield* stop
        expect(stopped).toBe(true)
        expect(readdirSync(directory)).toEqual([])
        expect(yield* store.mediaJobs.claim({ limit: 9, leaseMs: 1 })).toMatchObject([{ job: aJob("transcribe") }])
      })
    )
  })
})

describe("A worker", () => {
  test("takes one job after the other, and each that comes while it waits", () => {
    const made: Array<string> = []
    const making = transcriber(() =>
      Effect.sync(() => {
        made.push("transcribed")
        return hello
      })
    )
    return working({ tools: tools(), transcriber: making }, ({ add, done }) =>
      Effect.gen(function* () {
        yield* add("process")
        yield* add("transcribe")
        expect((yield* done).transcript?.status).toBe("ready")
        yield* add("process")
        expect((yield* done).video.processed).not.toBeNull()
        expect(made).toEqual(["transcribed"])
      })
    )
  })

  test("removes at its start what a crash left of work, and nothing else", () => {
    const directory = aDirectory()
    mkdirSync(join(directory, "media-left"))
    writeFileSync(join(directory, "media-left", "original"), "half a video")
    writeFileSync(join(directory, "upload.part"), "")
    return working({ directory, tools: tools() }, ({ add, done }) =>
      Effect.gen(function* () {
        yield* add("process")
        yield* done
        while (readdirSync(directory).length > 1) yield* Effect.yieldNow
        expect(readdirSync(directory)).toEqual(["upload.part"])
      })
    )
  })
})
