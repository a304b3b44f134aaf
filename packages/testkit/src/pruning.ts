import type { DeliveryPruning, Store } from "@tapedeck/core"
import { DeliveryId } from "@tapedeck/domain"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { aDelivery, delivered, dueAt, failed, instantAfter } from "./samples.ts"

const ids = (store: Store) => Effect.map(store.deliveries.list({}), (found) => found.map(({ id }) => String(id)))

/** Adds a delivery that was created at a time, and claims and delivers it. */
const made = (store: Store, id: string, ms: number) =>
  Effect.gen(function* () {
    yield* store.deliveries.insert(aDelivery(id, { createdAt: instantAfter(ms) }))
    const [claim] = yield* store.deliveries.claim({ limit: 1, leaseMs: 1_000 })
    yield* store.deliveries.settle(claim!, () => delivered(claim!))
  })

const first: DeliveryPruning = { createdBefore: instantAfter(100), after: null, limit: 10 }

export const pruning = (promised: Promised): void => {
  describe("pruning deliveries", () => {
    promised("removes ended deliveries that were created before the given instant, to the millisecond", ({ store }) =>
      Effect.gen(function* () {
        yield* made(store, "a", 0)
        yield* made(store, "b", 99)
        yield* made(store, "c", 100)
        yield* made(store, "d", 101)
        expect(yield* store.deliveries.prune(first)).toEqual({ removed: 2, after: null })
        expect(yield* ids(store)).toEqual(["c", "d"])
        expect(yield* store.deliveries.byId(DeliveryId.make("a"))).toBeUndefined()
        expect(yield* store.deliveries.prune(first)).toEqual({ removed: 0, after: null })
      })
    )

    promised("keeps deliveries that are scheduled, waiting or in flight, however old", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* store.deliveries.insert(dueAt("waiting", instantAfter(0)))
        const [claim] = yield* store.deliveries.claim({ limit: 1, leaseMs: 1_000 })
        yield* store.deliveries.settle(claim!, () => failed(claim!, instantAfter(60_000)))
        yield* store.deliveries.insert(dueAt("cancelled", instantAfter(0)))
        yield* store.deliveries.update({
          ...dueAt("cancelled", instantAfter(0)),
          state: { _tag: "Cancelled", at: instantAfter(1) }
        })
        yield* store.deliveries.insert(dueAt("claimed", instantAfter(0)))
        yield* store.deliveries.claim({ limit: 1, leaseMs: 1_000_000 })
        yield* store.deliveries.insert(dueAt("scheduled", instantAfter(90_000)))
        yield* setTime(instantAfter(1_000_000))
        const before = yield* store.deliveries.queue
        expect(yield* store.deliveries.prune({ ...first, createdBefore: instantAfter(1_000_000) })).toEqual({
          removed: 1,
          after: null
        })
        expect(yield* ids(store)).toEqual(["waiting", "claimed", "scheduled"])
        expect(yield* store.deliveries.queue).toEqual(before)
      })
    )

    promised("removes in batches, with the attempts of each delivery", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(["a", "b", "c", "d", "e"], (id, index) => made(store, id, index))
        const one = yield* store.deliveries.prune({ ...first, limit: 2 })
        expect([one.removed, yield* ids(store)]).toEqual([2, ["c", "d", "e"]])
        const two = yield* store.deliveries.prune({ ...first, limit: 2, after: one.after })
        expect([two.removed, yield* ids(store)]).toEqual([2, ["e"]])
        expect(yield* store.deliveries.prune({ ...first, limit: 2, after: two.after })).toEqual({
          removed: 1,
          after: null
        })
        // A delivery of the same name has none of the attempts of the one before.
        yield* store.deliveries.insert(aDelivery("a"))
        expect((yield* store.deliveries.byId(DeliveryId.make("a")))?.attempts).toEqual([])
      })
    )
  })
}
