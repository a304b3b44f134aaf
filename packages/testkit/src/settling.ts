import type { Store } from "@tapedeck/core"
import type { Delivery } from "@tapedeck/domain"
import type { Claim } from "@tapedeck/domain/delivery"
import { Effect, Exit } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { aDelivery, delivered, dueAt, failed, instantAfter } from "./samples.ts"

const leaseMs = 1_000

const claim = (store: Store) => store.deliveries.claim({ limit: 100, leaseMs })

/** Adds a delivery that is due at the start, and claims it. */
const claimOne = (store: Store) =>
  Effect.gen(function* () {
    yield* store.deliveries.insert(aDelivery("a"))
    return (yield* claim(store))[0]!
  })

export const settling = (promised: Promised): void => {
  describe("settling", () => {
    promised("records the outcome of the delivery, once", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        expect(yield* store.deliveries.settle(mine, () => delivered(mine))).not.toBeNull()
        expect(yield* store.deliveries.settle(mine, () => failed(mine, instantAfter(5)))).toBeNull()
        expect(yield* store.deliveries.byId(mine.delivery.id)).toEqual(delivered(mine))
        yield* setTime(instantAfter(1_000_000))
        expect(yield* claim(store)).toEqual([])
      })
    )

    promised("schedules the retry", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        expect(yield* store.deliveries.settle(mine, () => failed(mine, instantAfter(60_000)))).not.toBeNull()
        yield* setTime(instantAfter(59_999))
        expect(yield* claim(store)).toEqual([])
        yield* setTime(instantAfter(60_000))
        expect(yield* claim(store)).toMatchObject([{ reason: "due", delivery: { state: { attempt: 2 } } }])
      })
    )

    promised("counts after the lease ended, if no other worker has claimed the delivery", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* setTime(instantAfter(10 * leaseMs))
        expect(yield* store.deliveries.settle(mine, () => delivered(mine))).not.toBeNull()
        expect(yield* claim(store)).toEqual([])
      })
    )

    promised("receives the present delivery, and returns the new one", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        const calledOff = { ...mine.delivery, state: { ...mine.delivery.state, cancelRequested: true } as never }
        yield* store.deliveries.update(calledOff)
        yield* setTime(instantAfter(9))
        const given: Array<Delivery> = []
        const settled = yield* store.deliveries.settle(mine, (delivery, at) => {
          given.push(delivery)
          return { ...delivery, state: { _tag: "Cancelled", at } }
        })
        expect(given.at(-1)).toEqual(calledOff)
        expect(settled).toEqual({ ...calledOff, state: { _tag: "Cancelled", at: instantAfter(9) } })
        expect(yield* store.deliveries.byId(mine.delivery.id)).toEqual(settled)
      })
    )

    promised("records many deliveries together, with a result for each, independent of the others", ({ store }) =>
      Effect.gen(function* () {
        const ids = ["a", "b", "c", "d"]
        yield* Effect.forEach(ids, (id) => store.deliveries.insert(dueAt(id, instantAfter(0))))
        const claims = yield* claim(store)
        const [a, b, c, d] = claims as [Claim, Claim, Claim, Claim]
        yield* store.deliveries.settle(b, () => delivered(b))
        const broken = new Error("no such move")
        const exits = yield* Effect.all(
          [
            Effect.exit(store.deliveries.settle(a, () => failed(a, instantAfter(60_000)))),
            Effect.exit(store.deliveries.settle(b, () => delivered(b))),
            Effect.exit(
              store.deliveries.settle(c, () => {
                throw broken
              })
            ),
            Effect.exit(store.deliveries.settle({ ...d }, () => delivered(d)))
          ],
          { concurrency: "unbounded" }
        )
        expect(exits).toEqual([
          Exit.succeed(failed(a, instantAfter(60_000))),
          Exit.succeed(null),
          Exit.die(broken),
          Exit.succeed(delivered(d))
        ])
        const list = yield* store.deliveries.list({})
        expect(list).toEqual([failed(a, instantAfter(60_000)), delivered(b), c.delivery, delivered(d)])
      })
    )

    promised("records concurrent outcomes once each: delivered, retrying or ended", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(["a", "b", "c"], (id) => store.deliveries.insert(dueAt(id, instantAfter(0))))
        const [a, b, c] = (yield* claim(store)) as [Claim, Claim, Claim]
        const cancelled: Delivery = { ...c.delivery, state: { _tag: "Cancelled", at: instantAfter(0) } }
        const settle = (one: Claim, becomes: Delivery) => store.deliveries.settle(one, () => becomes)
        const settled = yield* Effect.all(
          [
            settle(a, delivered(a)),
            settle(b, failed(b, instantAfter(60_000))),
            settle(c, cancelled),
            settle(a, failed(a, instantAfter(5)))
          ],
          { concurrency: "unbounded" }
        )
        expect(settled).toEqual([delivered(a), failed(b, instantAfter(60_000)), cancelled, null])
        expect(yield* store.deliveries.list({})).toEqual([delivered(a), failed(b, instantAfter(60_000)), cancelled])
      })
    )

    promised("writes nothing after another worker claimed the delivery, whose outcome counts", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* setTime(instantAfter(leaseMs))
        const [theirs] = yield* claim(store)
        expect(yield* store.deliveries.settle(mine, () => delivered(mine))).toBeNull()
        expect(yield* store.deliveries.byId(mine.delivery.id)).toEqual(theirs!.delivery)
        expect(yield* store.deliveries.settle(theirs!, () => failed(theirs!, instantAfter(60_000)))).not.toBeNull()
        expect(yield* store.deliveries.settle(mine, () => delivered(mine))).toBeNull()
        expect(yield* store.deliveries.byId(mine.delivery.id)).toEqual(failed(theirs!, instantAfter(60_000)))
      })
    )

    promised("writes nothing during a later attempt", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* setTime(instantAfter(leaseMs))
        const [theirs] = yield* claim(store)
        yield* store.deliveries.settle(theirs!, () => failed(theirs!, instantAfter(60_000)))
        yield* setTime(instantAfter(60_000))
        const [next] = yield* claim(store)
        for (const old of [mine, theirs!]) expect(yield* store.deliveries.settle(old, () => delivered(old))).toBeNull()
        expect(yield* store.deliveries.byId(mine.delivery.id)).toEqual(next!.delivery)
      })
    )

    promised("records nothing in a failed transaction", ({ store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        const settle = store.deliveries.settle(mine, () => delivered(mine))
        yield* Effect.exit(store.transaction(Effect.andThen(settle, Effect.fail("no"))))
        expect(yield* store.deliveries.byId(mine.delivery.id)).toEqual(mine.delivery)
        expect(yield* settle).not.toBeNull()
      })
    )
  })
}
