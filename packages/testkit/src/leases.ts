import type { Store } from "@tapedeck/core"
import type { Claim } from "@tapedeck/domain/delivery"
import { Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { aDelivery, aResult, delivered, failed, instantAfter, startInstant } from "./samples.ts"

const leaseMs = 1_000

const claim = (store: Store, limit = 100) => store.deliveries.claim({ limit, leaseMs })

/** Adds a delivery that is due at the start, and claims it. */
const claimOne = (store: Store) =>
  Effect.gen(function* () {
    yield* store.deliveries.insert(aDelivery("a"))
    return (yield* claim(store))[0]!
  })

export const leases = (promised: Promised): void => {
  describe("a lease", () => {
    promised("keeps a claimed delivery from other workers until it ends", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* claimOne(store)
        yield* setTime(instantAfter(leaseMs - 1))
        expect(yield* claim(store)).toEqual([])
      })
    )

    promised(
      "gives the delivery to the next claim when it ends, as lost and with a higher fence",
      ({ setTime, store }) =>
        Effect.gen(function* () {
          const first = yield* claimOne(store)
          yield* setTime(instantAfter(leaseMs))
          const [second, ...rest] = yield* claim(store)
          expect(rest).toEqual([])
          expect(second).toMatchObject({ reason: "lost", result: null, delivery: first.delivery })
          expect(second!.fence).toBeGreaterThan(first.fence)
          expect(yield* claim(store)).toEqual([])
          yield* setTime(instantAfter(2 * leaseMs))
          expect(yield* claim(store)).toMatchObject([{ reason: "lost" }])
        })
    )
  })

  describe("a renewed lease", () => {
    promised("lasts from its renewal, any number of times, and the claim is the same", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        for (const ms of [900, 1_800]) {
          yield* setTime(instantAfter(ms))
          expect(yield* store.deliveries.renew([mine], leaseMs)).toEqual([true])
        }
        expect(yield* store.deliveries.byId(mine.delivery.id)).toEqual(mine.delivery)
        yield* setTime(instantAfter(1_800 + leaseMs - 1))
        expect(yield* claim(store)).toEqual([])
        expect(yield* store.deliveries.settle(mine, () => delivered(mine))).not.toBeNull()
      })
    )

    promised("ends like any other if it is not renewed again", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* setTime(instantAfter(500))
        yield* store.deliveries.renew([mine], leaseMs)
        yield* setTime(instantAfter(500 + leaseMs))
        const [theirs] = yield* claim(store)
        expect(theirs).toMatchObject({ reason: "lost", fence: mine.fence + 1, delivery: mine.delivery })
      })
    )

    promised("stays with its worker if it is renewed after its end and before another claim", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* setTime(instantAfter(5 * leaseMs))
        expect(yield* store.deliveries.renew([mine], leaseMs)).toEqual([true])
        expect(yield* claim(store)).toEqual([])
      })
    )

    promised(
      "is refused to a worker after another has claimed the delivery, and the other's lease is unchanged",
      ({ setTime, store }) =>
        Effect.gen(function* () {
          const mine = yield* claimOne(store)
          yield* setTime(instantAfter(leaseMs))
          const [theirs] = yield* claim(store)
          const before = yield* store.agenda.list
          yield* setTime(instantAfter(leaseMs + 1))
          expect(yield* store.deliveries.renew([mine], leaseMs)).toEqual([false])
          expect(yield* store.agenda.list).toEqual(before)
          expect(yield* store.deliveries.settle(theirs!, () => delivered(theirs!))).not.toBeNull()
          expect(yield* store.deliveries.renew([mine, theirs!], leaseMs)).toEqual([false, false])
          expect(yield* store.agenda.list).toEqual([])
        })
    )

    promised("is renewed beside many others, with a result for each", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(["a", "b", "c", "d", "e"], (id) => store.deliveries.insert(aDelivery(id)))
        const [a, b, c, d] = (yield* claim(store, 4)) as [Claim, Claim, Claim, Claim]
        yield* store.deliveries.settle(b, () => failed(b, instantAfter(60_000)))
        yield* store.deliveries.hold(c, aResult(), instantAfter(700))
        const calledOff = { ...d.delivery, state: { ...d.delivery.state, cancelRequested: true } as never }
        yield* store.deliveries.update(calledOff)
        yield* setTime(instantAfter(500))
        // Also by a claim that is told in other words.
        expect(yield* store.deliveries.renew([d, c, b, { ...a }], leaseMs)).toEqual([true, false, false, true])
        expect(yield* store.deliveries.renew([], leaseMs)).toEqual([])
        const kinds = (yield* store.agenda.list).map(({ at, kind }) => [kind, at - startInstant])
        expect(kinds).toEqual([
          ["attempt", 0],
          ["attempt_end", 700],
          ["lease", 1_500],
          ["lease", 1_500],
          ["attempt", 60_000]
        ])
        expect(yield* store.deliveries.byId(d.delivery.id)).toEqual(calledOff)
      })
    )

    promised("wakes no fiber that waits for the agenda", ({ store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        const waiting = yield* Effect.forkChild(store.agenda.changed, { startImmediately: true })
        yield* store.deliveries.renew([mine], 2 * leaseMs)
        for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow
        expect(waiting.pollUnsafe()).toBeUndefined()
        yield* store.deliveries.insert(aDelivery("b"))
        yield* Fiber.join(waiting)
      })
    )

    promised("is unchanged by a failed transaction", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        const renewing = store.deliveries.renew([mine], 10 * leaseMs)
        yield* Effect.exit(store.transaction(Effect.andThen(renewing, Effect.fail("no"))))
        yield* setTime(instantAfter(leaseMs))
        expect(yield* claim(store)).toMatchObject([{ reason: "lost" }])
      })
    )
  })
}
