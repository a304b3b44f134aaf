import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { delivered, dueAt, failed, instantAfter, startInstant } from "./samples.ts"

export const deliveryQueue = (promised: Promised): void => {
  describe("the queue of deliveries", () => {
    promised(
      "counts deliveries that wait and that are in flight, returns the first due time, and ignores ended ones",
      ({ setTime, store }) =>
        Effect.gen(function* () {
          const { queue } = store.deliveries
          expect(yield* queue).toEqual({ scheduled: 0, waiting: 0, attempting: 0, nextAt: null })
          yield* Effect.forEach(["a", "b", "c"], (id) => store.deliveries.insert(dueAt(id, startInstant)))
          yield* store.deliveries.insert(dueAt("later", instantAfter(90_000)))
          expect(yield* queue).toEqual({ scheduled: 4, waiting: 0, attempting: 0, nextAt: startInstant })
          const [first, second, third] = yield* store.deliveries.claim({ limit: 100, leaseMs: 1_000 })
          expect(yield* queue).toEqual({ scheduled: 1, waiting: 0, attempting: 3, nextAt: instantAfter(90_000) })
          yield* store.deliveries.settle(first!, () => failed(first!, instantAfter(60_000)))
          yield* store.deliveries.settle(second!, () => delivered(second!))
          expect(yield* queue).toEqual({ scheduled: 1, waiting: 1, attempting: 1, nextAt: instantAfter(60_000) })
          yield* setTime(instantAfter(60_000))
          yield* store.deliveries.settle(third!, () => delivered(third!))
          const [lost, again] = yield* store.deliveries.claim({ limit: 100, leaseMs: 1_000 })
          expect([lost?.delivery.id, again]).toEqual([first!.delivery.id, undefined])
          expect(yield* queue).toEqual({ scheduled: 1, waiting: 0, attempting: 1, nextAt: instantAfter(90_000) })
        })
    )
  })
}
