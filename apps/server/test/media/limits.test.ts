import { readdirSync } from "node:fs"
import { ProviderFailed } from "@tapedeck/core"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, test } from "vitest"
import type { Probe } from "../../src/media/probe.ts"
import { aJob, broken, hello, jobsOf, listening, tools, transcriber, uploaded, working } from "./working.ts"

const minutes = 60_000

describe("A video beyond a limit", () => {
  const shape = { durationSeconds: 3_600, hasVideo: true, hasAudio: true, playsEverywhere: false }
  const video = (known: Partial<Probe>): Probe => ({ ...shape, size: { width: 1, height: 1 }, ...known })
  const made = { state: "ready" }
  const [picture, length] = [
    {
      state: "given_up",
      problem: expect.stringMatching(/^picture too large: \d+ × \d+ pixels, where 8192 pixels a side/)
    },
    { state: "given_up", problem: "video too long: more than the 3600 s that are processed" }
  ]

  test.each([
    ["with the maximum width and number of pixels", { size: { width: 8192, height: 4320 } }, made],
    ["one pixel too wide", { size: { width: 8193, height: 1 } }, picture],
    ["one pixel too high", { size: { width: 1, height: 8193 } }, picture],
    ["with too many pixels", { size: { width: 5949, height: 5949 } }, picture],
    ["of the maximum length", {}, made],
    ["that is longer", { durationSeconds: 3_600.1 }, length]
  ])("is given up, with the limit: %s", (_, known, work) => {
    const some = tools({ probe: () => Effect.succeed(video(known)) })
    return working({ tools: some }, ({ add, done, files }) =>
      Effect.gen(function* () {
        yield* add("process")
        expect((yield* done).work?.process).toEqual(work)
        expect(files()).toHaveLength(work === made ? 3 : 1)
      })
    )
  })

  test.each([
    [61, made],
    [62, { state: "given_up", problem: "video too long: more than the 61 s that are processed" }]
  ])("is given up if it is longer than its job allows: %i s of 61", (durationSeconds, work) => {
    const some = tools({ probe: () => Effect.succeed(video({ durationSeconds })) })
    return working({ tools: some }, ({ done, store }) =>
      Effect.gen(function* () {
        yield* store.jobs.enqueue({ ...aJob("process"), maxSeconds: 61 })
        expect((yield* done).work?.process).toEqual(work)
      })
    )
  })

  test("is not sent to the transcriber if its job limits its length and ffmpeg cannot read it", async () => {
    const heard: Array<readonly [string, string]> = []
    const none = tools({ probe: () => Effect.fail(broken) })
    await working({ tools: none, transcriber: listening(heard) }, ({ done, store }) =>
      Effect.gen(function* () {
        yield* store.jobs.enqueue({ ...aJob("transcribe"), maxSeconds: 61 })
        expect((yield* done).work?.transcribe).toMatchObject({ state: "given_up" })
      })
    )
    expect(heard).toEqual([])
  })

  test("is given up if it states another length, before its sound is sent", async () => {
    const heard: Array<readonly [string, string]> = []
    const lying = tools({
      probe: (path) => Effect.succeed(video({ durationSeconds: /playable|sound/.test(path) ? 3_601 : 1 }))
    })
    await working({ tools: lying, transcriber: listening(heard) }, ({ add, done, files, log }) =>
      Effect.gen(function* () {
        yield* add("process")
        yield* done
        yield* add("transcribe")
        expect((yield* done).work).toEqual({ process: length, transcribe: length })
        expect(files()).toEqual(["f1"])
        expect(log).toHaveLength(2)
      })
    )
    expect(heard).toEqual([])
  })
})

describe("The sound for a transcriber that takes ten minutes at a time", () => {
  /** Of this length; there is a pause before the end of its first part. */
  const long = (durationSeconds: number) =>
    tools({
      probe: () =>
        Effect.succeed({ durationSeconds, hasVideo: true, size: null, hasAudio: true, playsEverywhere: false }),
      pauseIn: (_, { endSeconds, startSeconds }) => {
        expect(endSeconds - startSeconds).toBe(30)
        return Effect.succeed(endSeconds === 600 ? 590.5 : undefined)
      }
    })
  const content = (heard: ReadonlyArray<readonly [string, string]>) => heard.map(([, text]) => text)

  test.each([
    [600, 600, ["sound of video"]],
    [601, 600, ["0 to 590.5 of sound of video", "590.5 to 601 of sound of video"]],
    [
      1_300,
      600,
      ["0 to 590.5 of sound of video", "590.5 to 1190.5 of sound of video", "1190.5 to 1300 of sound of video"]
    ],
    [1_300, null, ["sound of video"]]
  ])("of %i s is sent in parts of at most %s s", async (seconds, partSeconds, sent) => {
    const heard: Array<readonly [string, string]> = []
    const limits = { partSeconds }
    await working({ tools: long(seconds), transcriber: listening(heard), limits }, ({ add, done, store }) =>
      Effect.gen(function* () {
        yield* add("transcribe")
        const { id, transcript } = yield* done
        expect(transcript?.processed).toBe(sent.length)
        const segments = yield* store.recordingParts.segments(id, "processed", { offset: 0, limit: 100 })
        const starts = sent.map((text) => Math.floor(Number.parseFloat(text) || 0))
        expect(segments.map(({ startSeconds }) => startSeconds)).toEqual(starts)
      })
    )
    expect(content(heard)).toEqual(sent)
  })

  test("has no transcript if one of its parts has none", async () => {
    let calls = 0
    const failing = transcriber(() =>
      ++calls === 2
        ? Effect.fail(new ProviderFailed({ reason: "busy", problem: "busy", again: true }))
        : Effect.succeed(hello)
    )
    await working({ tools: long(1_300), transcriber: failing }, ({ add, done, store }) =>
      Effect.gen(function* () {
        yield* add("transcribe")
        expect((yield* done).transcript).toMatchObject({ status: "processing", processed: 0 })
        expect(yield* jobsOf(store)).toMatchObject([{ failedTries: 1 }])
      })
    )
    expect(calls).toBe(2)
  })
})

describe("The time of a job", () => {
  test.each([
    ["is all that its programs may take together", 10 * minutes - 1, "ready"],
    ["ends it for good, however many programs it runs", 10 * minutes, "given_up"]
  ] as const)("%s", (_, second, state) => {
    const runs = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()] as const
    const goOn = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()] as const
    const at = (run: 0 | 1) => Effect.andThen(Deferred.succeed(runs[run], undefined), Deferred.await(goOn[run]))
    const waiting = tools({
      probe: (path) => {
        const probed = tools().probe(path)
        return path.endsWith("original")
          ? Effect.andThen(at(0), probed)
          : path.endsWith("part-1")
            ? Effect.andThen(at(1), probed)
            : probed
      }
    })
    const limits = { timeoutMs: 20 * minutes }
    return working({ tools: waiting, isVirtual: true, limits }, ({ add, directory, done, files, store }) =>
      Effect.gen(function* () {
        yield* store.files.save("second", { kind: "bytes", bytes: Buffer.from("second") })
        const part = { fileId: "second", contentType: "video/webm", sizeBytes: 6, etag: "e" }
        yield* store.recordings.save({ ...uploaded, video: { ...uploaded.video, parts: [part] } })
        yield* add("process")
        yield* Deferred.await(runs[0])
        yield* TestClock.adjust(10 * minutes)
        yield* Deferred.succeed(goOn[0], undefined)
        yield* Deferred.await(runs[1])
        yield* TestClock.adjust(second)
        yield* Deferred.succeed(goOn[1], undefined)
        const { work } = yield* done
        const problem = "took too long: more than 1200 s (media_timeout)"
        expect(work?.process).toEqual(state === "ready" ? { state } : { state, problem })
        expect(yield* jobsOf(store)).toEqual([])
        while (readdirSync(directory).length > 0) yield* Effect.yieldNow
        expect(files()).toHaveLength(state === "ready" ? 4 : 2)
      })
    )
  })

  test("ends a transcriber that does not answer", () => {
    const never = transcriber(() => Effect.never)
    return working({ transcriber: never, isVirtual: true }, ({ add, done, store }) =>
      Effect.gen(function* () {
        yield* add("transcribe")
        while ((yield* jobsOf(store)).length > 0) yield* TestClock.adjust(1_000)
        const { transcript, work } = yield* done
        expect(transcript?.status).toBe("unavailable")
        expect(work?.transcribe?.problem).toMatch(/^took too long/)
      })
    )
  })
})
