import type { Recording } from "@tapedeck/domain"
import { MAX_LOG_EVENTS } from "@tapedeck/domain/capture"
import { Effect, Stream } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { packed } from "../src/capture/storedLog.ts"
import { RecordingContent } from "../src/index.ts"
import { aRecording, uuidOf } from "./examples.ts"
import { makeWorld } from "./useCaseWorld.ts"

const maxEvents = 1_000
const header = { version: 1, started_at: "2026-01-01T10:00:00.000Z" }

/** A shared log with an event each 10 ms. */
const worldWithLog = async (count: number, changes: Partial<Recording> = {}) => {
  const world = await makeWorld()
  const events = Array.from({ length: count }, (_, seq) => ({ seq, t: seq * 10, kind: "mark", text: `${seq} \u2028` }))
  const log = packed(`${[header, ...events].map((line) => JSON.stringify(line)).join("\n")}\n`)
  const recording = aRecording(1, { isLogShared: true, ...changes })
  await world.run(
    Effect.gen(function* () {
      yield* world.store.recordings.save(recording)
      yield* world.store.recordingParts.save(recording.id, { log })
    })
  )
  const request = { part: "page", caller: null } as const
  return world.run(RecordingContent.use(({ publicLogStart }) => publicLogStart(uuidOf(1), request, maxEvents)))
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe("the start of a shared log", () => {
  it("is the whole log up to the maximum, and its first events beyond", async () => {
    const whole = await worldWithLog(maxEvents)
    expect([whole.events.length, whole.hasMore]).toEqual([maxEvents, false])
    const start = await worldWithLog(maxEvents + 1)
    expect([start.events.length, start.hasMore]).toEqual([maxEvents, true])
    expect(start.events.map(({ seq }) => seq)).toEqual(Array.from({ length: maxEvents }, (_, seq) => seq))
  })

  it("parses few lines more than it returns, in the longest log", async () => {
    const parse = vi.spyOn(JSON, "parse")
    const { events, hasMore } = await worldWithLog(MAX_LOG_EVENTS)
    expect([events.length, hasMore]).toEqual([maxEvents, true])
    expect(parse.mock.calls.length).toBeGreaterThan(maxEvents)
    expect(parse.mock.calls.length).toBeLessThan(2 * maxEvents)
  })

  it("has the events of the range that a trim left, by its time", async () => {
    const { video } = aRecording(1)
    const trim = { startSeconds: 50, endSeconds: 50.03, state: "ready" }
    const { events, hasMore } = await worldWithLog(10_000, { video: { ...video, trim } as Recording["video"] })
    expect(events.map(({ seq, t }) => [seq, t])).toEqual([5_000, 5_001, 5_002].map((seq, index) => [seq, index * 10]))
    expect(hasMore).toBe(false)
  })
})

describe("a shared log as text", () => {
  const textOf = async (count: number, changes: Partial<Recording> = {}) => {
    const world = await makeWorld()
    const events = Array.from({ length: count }, (_, seq) => ({
      seq,
      t: seq * 10,
      kind: "mark",
      text: `${seq} \u2028ü`
    }))
    const text = `${[header, ...events].map((line) => JSON.stringify(line)).join("\n")}\n`
    const recording = aRecording(1, { isLogShared: true, ...changes })
    await world.run(
      Effect.gen(function* () {
        yield* world.store.recordings.save(recording)
        yield* world.store.recordingParts.save(recording.id, { log: packed(text) })
      })
    )
    const request = { part: "files", caller: null } as const
    const shown = RecordingContent.use(({ publicLog }) =>
      Effect.flatMap(publicLog(uuidOf(1), request), (log) => Stream.mkString(log.text))
    )
    return { text, shown: await world.run(Effect.scoped(shown)) }
  }

  it.each([0, 1, 20_000])("is what was stored, of %d events", async (count) => {
    const { shown, text } = await textOf(count)
    expect(shown === text).toBe(true)
  })

  it("has the events of the range that a trim left", async () => {
    const { video } = aRecording(1)
    const trim = { startSeconds: 50, endSeconds: 50.03, state: "ready" }
    const { shown } = await textOf(20_000, { video: { ...video, trim } as Recording["video"] })
    const lines = shown
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { seq?: number })
    expect(lines.map(({ seq }) => seq)).toEqual([undefined, 5_000, 5_001, 5_002])
  })
})
