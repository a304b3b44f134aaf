import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ProviderFailed, type Store } from "@tapedeck/core"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, test } from "vitest"
import { aDirectory } from "./programs.ts"
import {
  aJob,
  broken,
  contentOf,
  failedLine,
  hello,
  jobsOf,
  limits,
  listening,
  mediaWorker,
  original,
  servicesOn,
  type Tools,
  tools,
  transcriber,
  uploaded,
  working
} from "./working.ts"

describe("A capture of several runs of the recorder", () => {
  const withRuns = (store: Store, ...runs: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      for (const run of runs) yield* store.files.save(run, { kind: "bytes", bytes: Buffer.from(run) })
      const file = { contentType: "video/webm", sizeBytes: 5, etag: "e" }
      const parts = runs.map((fileId) => ({ ...file, fileId, sizeBytes: fileId.length }))
      yield* store.recordings.save({ ...uploaded, video: { ...uploaded.video, parts } })
    })

  test("is joined into one video, and the runs are kept", () =>
    working({ tools: tools() }, ({ add, done, store }) =>
      Effect.gen(function* () {
        yield* withRuns(store, "second", "third")
        yield* add("process")
        const { video } = yield* done
        expect(yield* contentOf(store, video.processed?.fileId)).toBe("joined video, second, third")
        expect(yield* contentOf(store, video.thumbnail?.fileId)).toMatch(/^still of joined/)
        expect(video.parts?.map(({ fileId }) => fileId)).toEqual(["second", "third"])
      })
    ))

  test("has the audio from its first run to its last", async () => {
    const heard: Array<readonly [string, string]> = []
    await working({ tools: tools(), transcriber: listening(heard) }, ({ add, done, store }) =>
      Effect.gen(function* () {
        yield* withRuns(store, "second")
        yield* add("transcribe")
        yield* done
      })
    )
    expect(heard).toEqual([["audio/mp4", "sound of joined video, second"]])
  })

  test("is joined without a run that is no video", () => {
    const some = tools({
      probe: (path) => (readFileSync(path, "utf8") === "broken" ? Effect.fail(broken) : tools().probe(path))
    })
    return working({ tools: some }, ({ add, done, store }) =>
      Effect.gen(function* () {
        yield* withRuns(store, "broken", "third")
        yield* add("process")
        const { video } = yield* done
        expect(yield* contentOf(store, video.processed?.fileId)).toBe("joined video, third")
      })
    )
  })
})

describe("An uploaded video", () => {
  test("gets a duration, a still and a playable file, and working copies are removed", () =>
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

  test("is kept unchanged if every browser plays it, and may lack a still", () => {
    const resources = tools({ playable: () => Effect.succeed(false), still: () => Effect.fail(broken) })
    return working({ tools: resources }, ({ add, done, files }) =>
      Effect.gen(function* () {
        yield* add("process")
        expect((yield* done).video).toEqual(uploaded.video)
        expect(files()).toEqual(["f1"])
      })
    )
  })

  test("stays unchanged if ffmpeg cannot read it, and the log contains the reason and the recording's id", () =>
    working({ tools: tools({ probe: () => Effect.fail(broken) }) }, ({ add, done, log, store }) =>
      Effect.gen(function* () {
        yield* add("process")
        expect(yield* done).toEqual({
          ...uploaded,
          work: { process: { state: "given_up", problem: "ffmpeg exited with 1: no such codec" } }
        })
        expect(yield* jobsOf(store)).toEqual([])
        expect(log).toEqual([failedLine("process", "ffmpeg exited with 1: no such codec", "given_up")])
      })
    ))

  test("gets no results of the file that it replaced during processing", () => {
    const begun = Deferred.makeUnsafe<void>()
    const goOn = Deferred.makeUnsafe<void>()
    const playable: Tools["playable"] = (...call) =>
      Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(goOn)).pipe(
        Effect.andThen(tools().playable(...call))
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

describe("A requested transcript", () => {
  test("is made of the audio if there is an ffmpeg, else of the video", async () => {
    for (const [resources, expected] of [
      [tools(), ["audio/mp4", "sound of video"]],
      [tools({ sound: () => Effect.fail(broken) }), ["video/webm", "video"]],
      [null, ["video/webm", "video"]]
    ] as const) {
      const heard: Array<readonly [string, string]> = []
      await working({ tools: resources, transcriber: listening(heard) }, ({ add, done, store }) =>
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

  test("is unavailable for a video without sound, without a call of the transcriber", async () => {
    const heard: Array<readonly [string, string]> = []
    const silent = tools({
      probe: () =>
        Effect.succeed({ durationSeconds: 1, hasVideo: true, size: null, hasAudio: false, playsEverywhere: true })
    })
    await working({ tools: silent, transcriber: listening(heard) }, ({ add, done }) =>
      Effect.gen(function* () {
        yield* add("transcribe")
        expect((yield* done).transcript?.status).toBe("unavailable")
      })
    )
    expect(heard).toEqual([])
  })

  test("is retried later if it fails, and is unavailable without a transcriber", async () => {
    const failing = transcriber(() =>
      Effect.fail(new ProviderFailed({ reason: "it answered 500", problem: "it answered 500", again: true }))
    )
    await working({ transcriber: failing }, ({ add, done, log, store }) =>
      Effect.gen(function* () {
        yield* add("transcribe")
        expect((yield* done).transcript?.status).toBe("processing")
        expect(yield* jobsOf(store)).toMatchObject([{ failedTries: 1 }])
        expect(log).toEqual([failedLine("transcribe", "it answered 500", "postponed")])
      })
    )
    await working({}, ({ add, done, log }) =>
      Effect.gen(function* () {
        yield* add("transcribe")
        expect((yield* done).transcript?.status).toBe("unavailable")
        expect(log).toEqual([failedLine("transcribe", "no transcriber is configured", "given_up")])
      })
    )
  })

  test("counts a defect during a job as a failed try, so that it is not retried for ever", () =>
    working({ transcriber: transcriber(() => Effect.die(new Error("disk full"))) }, ({ add, done, log, store }) =>
      Effect.gen(function* () {
        yield* add("transcribe")
        yield* done
        expect(yield* jobsOf(store)).toMatchObject([{ failedTries: 1 }])
        expect(log).toEqual([failedLine("transcribe", "disk full", "postponed")])
      })
    ))

  test("is given back by a worker that stops, and available to the next one at once", () => {
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
        expect(yield* store.jobs.claim({ slots: { media: 9 }, leaseMs: 1 })).toEqual([])
        yield* stop
        expect(stopped).toBe(true)
        expect(readdirSync(directory)).toEqual([])
        expect(yield* store.jobs.claim({ slots: { media: 9 }, leaseMs: 1 })).toMatchObject([
          { job: aJob("transcribe") }
        ])
      })
    )
  })
})

describe("A store that fails for a while", () => {
  const failing = (times: number) => {
    let left = times
    return <A>(call: Effect.Effect<A>) =>
      Effect.suspend(() => (left-- > 0 ? Effect.die(new Error("terminating connection")) : call))
  }

  test("is not taken by another worker, however long it takes", () => {
    let begun = 0
    const goOn = Deferred.makeUnsafe<void>()
    const slow = transcriber(() =>
      Effect.suspend(() => {
        begun++
        return Effect.as(Deferred.await(goOn), hello)
      })
    )
    return working({ transcriber: slow, isVirtual: true }, ({ add, directory, done, store }) =>
      Effect.gen(function* () {
        const other = mediaWorker({
          ...limits,
          directory,
          tools: Effect.succeed(null),
          transcriber: slow
        })
        yield* Effect.forkScoped(other)
        yield* add("transcribe")
        // It reads the video first, which takes real time.
        while (begun === 0) yield* TestClock.adjust(1_000)
        for (let seconds = 0; seconds < 200; seconds++) yield* TestClock.adjust(1_000)
        expect(begun).toBe(1)
        yield* Deferred.succeed(goOn, undefined)
        expect((yield* done).transcript?.status).toBe("ready")
      }).pipe(Effect.scoped, Effect.provide(servicesOn(store)))
    )
  })

  test("does not end a job whose lease it cannot renew", () => {
    const [begun, renewed] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const slow = transcriber(() =>
      Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(renewed)), Effect.as(hello))
    )
    return working({ transcriber: slow, isVirtual: true }, ({ add, done, log, store }) =>
      Effect.gen(function* () {
        const { renew } = store.jobs
        const afterFailures = failing(3)
        Object.assign(store.jobs, {
          renew: (...call: Parameters<typeof renew>) =>
            Effect.tap(afterFailures(renew(...call)), () => Deferred.succeed(renewed, undefined))
        })
        yield* add("transcribe")
        while (!(yield* Deferred.isDone(begun))) yield* TestClock.adjust(1_000)
        yield* TestClock.adjust(20_000)
        while (!(yield* Deferred.isDone(renewed))) yield* TestClock.adjust(1_000)
        expect((yield* done).transcript?.status).toBe("ready")
        expect(log).toEqual([
          expect.stringMatching(/^store call failed; retrying \{"kind":"transcribe",.*"step":"renewing the lease"\}/)
        ])
      })
    )
  })

  test("does not lose the result of a job that it cannot record", () =>
    working({ tools: tools(), isVirtual: true }, ({ add, done, files, log, store }) =>
      Effect.gen(function* () {
        const { finish } = store.jobs
        const afterFailures = failing(3)
        Object.assign(store.jobs, {
          finish: (...call: Parameters<typeof finish>) => afterFailures(finish(...call))
        })
        yield* add("process")
        while ((yield* jobsOf(store)).length > 0) yield* TestClock.adjust(1_000)
        expect(yield* contentOf(store, (yield* done).video.processed?.fileId)).toBe("playable video")
        expect(yield* jobsOf(store)).toEqual([])
        expect(files()).toHaveLength(3)
        expect(log).toHaveLength(1)
      })
    ))
})

describe("A worker", () => {
  test("runs one job after the other, and each that is added while it waits", () => {
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

  test("removes leftover working files of a crash at its start, and no others", () => {
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
