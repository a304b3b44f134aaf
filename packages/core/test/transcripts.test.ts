import { TranscriptStatus } from "@tapedeck/domain"
import type { TranscriptJob } from "@tapedeck/domain/internal/jobs"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { type JobClaim, Transcripts } from "../src/index.ts"
import { aRecording, aStep, aTranscript, aWholeRecording, readWhole, saveWhole, uuidOf } from "./examples.ts"
import { makeWorld } from "./useCaseWorld.ts"

const step = (status: TranscriptStatus, n = 1) =>
  Effect.flatMap(Transcripts, (transcripts) => transcripts.step({ recordingUuid: uuidOf(n), status }))

/** R15: what a transcript may become. Nothing else, itself included. */
const moves: Readonly<Record<TranscriptStatus, ReadonlyArray<TranscriptStatus>>> = {
  processing: ["ready", "unavailable"],
  ready: ["processing"],
  unavailable: ["processing"]
}

const rows = TranscriptStatus.literals.flatMap((from) =>
  TranscriptStatus.literals.map((to) => ({ from, to, moves: moves[from].includes(to) }))
)

describe("a transcript's step (R15)", () => {
  it.each(rows)("may change the status from $from to $to: $moves", async ({ from, moves, to }) => {
    const world = await makeWorld()
    const segments = [{ startSeconds: 0, endSeconds: 1, text: "Hello", sentences: [] }]
    const before = aWholeRecording(1, { transcript: aTranscript({ status: from, processed: segments }) })
    await world.run(saveWhole(world.store, before))
    expect(await world.run(step(to))).toBe(moves)
    const again = from === "ready" && to === "processing" ? { again: true } : {}
    const after = { ...before, transcript: { ...before.transcript!, status: moves ? to : from, ...again } }
    expect(await world.run(readWhole(world.store, uuidOf(1)))).toEqual(after)
  })

  it("changes nothing for an unknown recording or one without a transcript", async () => {
    const world = await makeWorld()
    await world.run(world.store.recordings.save(aRecording(1)))
    const state = world.memory.state()
    expect(await world.run(step("processing"))).toBe(false)
    expect(await world.run(step("processing", 9))).toBe(false)
    expect(world.memory.state()).toEqual(state)
  })

  it("is due again if it could not be applied, as after a crash", async () => {
    const world = await makeWorld()
    const { store } = world
    const before = aWholeRecording(1, { transcript: aTranscript({ status: "processing", processed: [] }) })
    await world.run(saveWhole(store, before))
    await world.run(store.jobs.enqueue(aStep(1, 0)))
    const runDue = Effect.gen(function* () {
      const claims = yield* store.jobs.claim({ slots: { step: 1 }, leaseMs: 0 })
      const { runStep } = yield* Transcripts
      return yield* Effect.forEach(claims, (claim) => runStep(claim as JobClaim<TranscriptJob>))
    })
    const { save } = store.recordings
    Object.assign(store.recordings, { save: () => Effect.die(new Error("crash")) })
    await expect(world.run(runDue)).rejects.toThrow("crash")
    Object.assign(store.recordings, { save })
    expect(await world.run(runDue)).toEqual([true])
    expect((await world.run(store.recordings.byUuid(uuidOf(1))))?.transcript?.status).toBe("ready")
    expect(await world.run(runDue)).toEqual([])
  })
})
