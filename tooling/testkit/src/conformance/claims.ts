import type { Store } from "@tapedeck/core"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { delivered, failed } from "./deliveries.ts"
import { aDelivery, after, aResult, dueAt, startInstant } from "./samples.ts"

const leaseMs = 1_000

const claim = (store: Store["Service"], limit = 100) => store.deliveries.claim({ limit, leaseMs })

const claimedIds = (store: Store["Service"], limit = 100) =>
  Effect.map(claim(store, limit), (claims) => claims.map(({ delivery }) => String(delivery.id)))

/** One delivery, due at the start and claimed there. */
const claimOne = (store: Store["Service"]) =>
  Effect.gen(function* () {
    yield* store.deliveries.insert(aDelivery("a"))
    return (yield* claim(store))[0]!
  })

export const claims = (promised: Promised): void => {
  describe("a claim", () => {
    promised("takes what is due, at its very instant and not before", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* store.deliveries.insert(dueAt("a", after(10)))
        yield* setTime(after(9))
        expect(yield* claimedIds(store)).toEqual([])
        yield* setTime(after(10))
        expect(yield* claimedIds(store)).toEqual(["a"])
      })
    )

    promised("takes in due order, first in first out on ties, however late", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(
          [
            dueAt("z", after(5)),
            dueAt("b", after(20)),
            dueAt("m", after(5)),
            dueAt("a", after(5)),
            dueAt("c", after(1))
          ],
          store.deliveries.insert
        )
        yield* setTime(after(1_000_000))
        expect(yield* claimedIds(store)).toEqual(["c", "z", "m", "a", "b"])
      })
    )

    promised("takes a retry behind what was due at its instant before it", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* store.deliveries.insert(dueAt("retried", startInstant))
        yield* store.deliveries.insert(dueAt("first in", after(60_000)))
        const [one] = yield* claim(store)
        yield* store.deliveries.settle(one!, failed(one!, after(60_000)))
        yield* store.deliveries.insert(dueAt("last in", after(60_000)))
        yield* setTime(after(60_000))
        expect(yield* claimedIds(store)).toEqual(["first in", "retried", "last in"])
      })
    )

    promised("takes no more than its limit, and the next one goes on from there", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(["a", "b", "c", "d", "e"], (id) => store.deliveries.insert(aDelivery(id)))
        expect(yield* claimedIds(store, 2)).toEqual(["a", "b"])
        expect(yield* claimedIds(store, 2)).toEqual(["c", "d"])
        expect(yield* claimedIds(store, 2)).toEqual(["e"])
        expect(yield* claimedIds(store, 2)).toEqual([])
      })
    )

    promised("starts the attempt, and says so in what it gives and in what is read", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* store.deliveries.insert(aDelivery("a"))
        yield* setTime(after(7))
        const [first] = yield* claim(store)
        const started = { _tag: "Attempting", attempt: 1, startedAt: after(7), firstAttemptAt: after(7) }
        expect(first).toMatchObject({ reason: "due", result: null, delivery: { id: "a", state: started } })
        expect(yield* store.deliveries.byId(aDelivery("a").id)).toEqual(first?.delivery)
        yield* store.deliveries.settle(first!, {
          ...first!.delivery,
          state: { _tag: "Waiting", retry: 1, dueAt: after(60_007), firstAttemptAt: after(7) }
        })
        yield* setTime(after(60_010))
        const [second] = yield* claim(store)
        expect(second?.delivery.state).toEqual({
          _tag: "Attempting",
          attempt: 2,
          startedAt: after(60_010),
          firstAttemptAt: after(7),
          cancelRequested: false
        })
      })
    )

    promised("is not had by two, however many ask at the same time", ({ store }) =>
      Effect.gen(function* () {
        const ids = Array.from({ length: 40 }, (_, index) => `delivery ${index}`)
        yield* Effect.forEach(ids, (id) => store.deliveries.insert(aDelivery(id)))
        const asked = Array.from({ length: 20 }, () => claimedIds(store, 3))
        const got = (yield* Effect.all(asked, { concurrency: "unbounded" })).flat()
        expect(got.toSorted()).toEqual(ids.toSorted())
      })
    )

    promised("that a failed transaction made was never made", ({ store }) =>
      Effect.gen(function* () {
        yield* store.deliveries.insert(aDelivery("a"))
        yield* Effect.exit(store.transaction(Effect.andThen(claim(store), Effect.fail("no"))))
        expect((yield* store.deliveries.byId(aDelivery("a").id))?.state._tag).toBe("Scheduled")
        expect(yield* claim(store)).toMatchObject([{ reason: "due", delivery: { id: "a" } }])
      })
    )
  })

  describe("a lease", () => {
    promised("keeps a claimed delivery from everybody until it ends", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* claimOne(store)
        yield* setTime(after(leaseMs - 1))
        expect(yield* claim(store)).toEqual([])
      })
    )

    promised(
      "that ends gives the delivery to the next who asks, as lost and with a higher fence",
      ({ setTime, store }) =>
        Effect.gen(function* () {
          const first = yield* claimOne(store)
          yield* setTime(after(leaseMs))
          const [second, ...rest] = yield* claim(store)
          expect(rest).toEqual([])
          expect(second).toMatchObject({ reason: "lost", result: null, delivery: first.delivery })
          expect(second!.fence).toBeGreaterThan(first.fence)
          expect(yield* claim(store)).toEqual([])
          yield* setTime(after(2 * leaseMs))
          expect(yield* claim(store)).toMatchObject([{ reason: "lost" }])
        })
    )
  })

  describe("settling", () => {
    promised("writes what became of the delivery, once", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        expect(yield* store.deliveries.settle(mine, delivered(mine))).toBe(true)
        expect(yield* store.deliveries.settle(mine, failed(mine, after(5)))).toBe(false)
        expect(yield* store.deliveries.byId(mine.delivery.id)).toEqual(delivered(mine))
        yield* setTime(after(1_000_000))
        expect(yield* claim(store)).toEqual([])
      })
    )

    promised("puts the retry on the schedule", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        expect(yield* store.deliveries.settle(mine, failed(mine, after(60_000)))).toBe(true)
        yield* setTime(after(59_999))
        expect(yield* claim(store)).toEqual([])
        yield* setTime(after(60_000))
        expect(yield* claim(store)).toMatchObject([{ reason: "due", delivery: { state: { attempt: 2 } } }])
      })
    )

    promised("late, after the lease ended but before anybody else came, still counts", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* setTime(after(10 * leaseMs))
        expect(yield* store.deliveries.settle(mine, delivered(mine))).toBe(true)
        expect(yield* claim(store)).toEqual([])
      })
    )

    promised("too late, once another has it, writes nothing, and the other's counts", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* setTime(after(leaseMs))
        const [theirs] = yield* claim(store)
        expect(yield* store.deliveries.settle(mine, delivered(mine))).toBe(false)
        expect(yield* store.deliveries.byId(mine.delivery.id)).toEqual(theirs!.delivery)
        expect(yield* store.deliveries.settle(theirs!, failed(theirs!, after(60_000)))).toBe(true)
        expect(yield* store.deliveries.settle(mine, delivered(mine))).toBe(false)
        expect(yield* store.deliveries.byId(mine.delivery.id)).toEqual(failed(theirs!, after(60_000)))
      })
    )

    promised("too late, in the middle of a later attempt, writes nothing", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* setTime(after(leaseMs))
        const [theirs] = yield* claim(store)
        yield* store.deliveries.settle(theirs!, failed(theirs!, after(60_000)))
        yield* setTime(after(60_000))
        const [next] = yield* claim(store)
        for (const old of [mine, theirs!]) expect(yield* store.deliveries.settle(old, delivered(old))).toBe(false)
        expect(yield* store.deliveries.byId(mine.delivery.id)).toEqual(next!.delivery)
      })
    )

    promised("in a transaction that fails settles nothing", ({ store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        const settle = store.deliveries.settle(mine, delivered(mine))
        yield* Effect.exit(store.transaction(Effect.andThen(settle, Effect.fail("no"))))
        expect(yield* store.deliveries.byId(mine.delivery.id)).toEqual(mine.delivery)
        expect(yield* settle).toBe(true)
      })
    )
  })

  describe("a result that is held until its end comes", () => {
    const result = aResult({ outcome: "timeout", statusCode: null, response: null, error: "timed out after 30000 ms" })

    promised("comes back as answered at that instant, not before, even long after the lease", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* store.deliveries.hold(mine, result, after(30_000))
        expect(yield* store.deliveries.byId(mine.delivery.id)).toEqual(mine.delivery)
        yield* setTime(after(29_999))
        expect(yield* claim(store)).toEqual([])
        yield* setTime(after(30_000))
        const [answered] = yield* claim(store)
        expect(answered).toMatchObject({ reason: "answered", result, delivery: mine.delivery })
        expect(answered!.fence).toBeGreaterThan(mine.fence)
        expect(yield* store.deliveries.settle(answered!, failed(answered!, after(60_000)))).toBe(true)
        expect(yield* store.deliveries.byId(mine.delivery.id)).toEqual(failed(mine, after(60_000)))
      })
    )

    promised("comes back again when whoever was to record it went missing", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* store.deliveries.hold(mine, result, after(10))
        yield* setTime(after(10))
        const [first] = yield* claim(store)
        expect(yield* claim(store)).toEqual([])
        yield* setTime(after(10 + leaseMs))
        const [second] = yield* claim(store)
        expect(second).toMatchObject({ reason: "answered", result })
        expect(yield* store.deliveries.settle(first!, delivered(first!))).toBe(false)
        expect(yield* store.deliveries.settle(second!, delivered(second!))).toBe(true)
      })
    )

    promised("is forgotten with the attempt that it belongs to", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* store.deliveries.hold(mine, result, after(10))
        yield* setTime(after(10))
        const [answered] = yield* claim(store)
        yield* store.deliveries.settle(answered!, failed(answered!, after(60_000)))
        yield* setTime(after(60_000))
        expect(yield* claim(store)).toMatchObject([{ reason: "due", result: null }])
        yield* setTime(after(60_000 + leaseMs))
        expect(yield* claim(store)).toMatchObject([{ reason: "lost", result: null }])
      })
    )

    promised("is not kept for a worker that has lost the delivery", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* setTime(after(leaseMs))
        const [theirs] = yield* claim(store)
        yield* store.deliveries.hold(mine, result, after(leaseMs + 1))
        yield* setTime(after(leaseMs + 1))
        expect(yield* claim(store)).toEqual([])
        expect(yield* store.deliveries.settle(theirs!, delivered(theirs!))).toBe(true)
      })
    )
  })
}
