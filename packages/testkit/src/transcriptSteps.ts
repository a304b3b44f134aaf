import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { instantAfter, uuidOf } from "./samples.ts"

export const transcriptSteps = (promised: Promised): void => {
  const step = (recording: number, ms: number, status: "ready" | "processing" = "ready") => ({
    recordingUuid: uuidOf(recording),
    at: instantAfter(ms),
    status
  })

  describe("transcript steps", () => {
    promised(
      "are taken when they are due, not before, in order of due time, first in first out on ties",
      ({ setTime, store }) =>
        Effect.gen(function* () {
          const steps = [step(1, 20), step(2, 10), step(3, 20, "processing"), step(1, 10), step(4, 30)]
          yield* Effect.forEach(steps, store.transcriptSteps.add)
          yield* setTime(instantAfter(9))
          expect(yield* store.transcriptSteps.take(9)).toEqual([])
          yield* setTime(instantAfter(10))
          expect(yield* store.transcriptSteps.take(9)).toEqual([steps[1], steps[3]])
          yield* setTime(instantAfter(29))
          expect(yield* store.transcriptSteps.take(9)).toEqual([steps[0], steps[2]])
          yield* setTime(instantAfter(1_000))
          expect(yield* store.transcriptSteps.take(9)).toEqual([steps[4]])
        })
    )

    promised("are taken up to the limit, and each once", ({ store }) =>
      Effect.gen(function* () {
        const steps = [1, 2, 3].map((recording) => step(recording, 0))
        yield* Effect.forEach(steps, store.transcriptSteps.add)
        expect(yield* store.transcriptSteps.take(2)).toEqual(steps.slice(0, 2))
        expect(yield* store.transcriptSteps.take(2)).toEqual(steps.slice(2))
        expect(yield* store.transcriptSteps.take(2)).toEqual([])
      })
    )

    promised("are taken once by concurrent callers", ({ store }) =>
      Effect.gen(function* () {
        const steps = Array.from({ length: 20 }, (_, index) => step(index + 1, 0))
        yield* Effect.forEach(steps, store.transcriptSteps.add)
        const takes = Array.from({ length: 10 }, () => store.transcriptSteps.take(3))
        const taken = (yield* Effect.all(takes, { concurrency: "unbounded" })).flat()
        expect(taken).toHaveLength(20)
        expect(new Set(taken.map(({ recordingUuid }) => recordingUuid)).size).toBe(20)
      })
    )

    promised("are restored in their position if the transaction that took them fails", ({ store }) =>
      Effect.gen(function* () {
        const steps = [step(1, 0), step(2, 0)]
        yield* Effect.forEach(steps, store.transcriptSteps.add)
        yield* Effect.exit(store.transaction(Effect.andThen(store.transcriptSteps.take(1), Effect.fail("no"))))
        expect(yield* store.transcriptSteps.take(9)).toEqual(steps)
      })
    )
  })
}
