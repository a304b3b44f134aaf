import { readdirSync } from "node:fs"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, test } from "vitest"
import type { Probe } from "../../src/media/probe.ts"
import { aJob, broken, listening, sample, tools, transcriber, uploaded, working } from "./working.ts"

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
        yield* store.mediaJobs.add({ ...aJob("process"), maxSeconds: 61 })
        expect((yield* done).work?.process).toEqual(work)
      })
    )
  })

  test("is not sent to the transcriber if its job limits its length and ffmpeg cannot read it", async () => {
    const heard: Array<readonly [string, string]> = []
    const none = tools({ probe: () => Effect.fail(broken) })
    await working({ tools: none, transcriber: listening(heard) }, ({ done, store }) =>
      Effect.gen(function* () {
        yield* store.mediaJobs.add({ ...aJob("transcribe"), maxSeconds: 61 })
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
        expect(yield* store.mediaJobs.ofRecording(sample.uuid)).toEqual([])
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
        while ((yield* store.mediaJobs.ofRecording(sample.uuid)).length > 0) yield* TestClock.adjust(1_000)
        const { transcript, work } = yield* done
        expect(transcript?.status).toBe("unavailable")
        expect(work?.transcribe?.problem).toMatch(/^took too long/)
      })
    )
  })
})
