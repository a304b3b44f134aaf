import type { Store } from "@tapedeck/core"
import {
  AccountId,
  AutomationId,
  type Delivery,
  DestinationId,
  receiverOfAutomation,
  receiverOfDestination
} from "@tapedeck/domain"
import type { QueueKey } from "@tapedeck/domain/delivery"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import {
  aDelivery,
  aDestination,
  aFolder,
  anAccount,
  anAutomation,
  aResult,
  delivered,
  dueAt,
  failed,
  instantAfter,
  startInstant
} from "./samples.ts"

const leaseMs = 1_000

const claim = (store: Store, limit = 100) => store.deliveries.claim({ limit, leaseMs })

const claimedIds = (store: Store, limit = 100) =>
  Effect.map(claim(store, limit), (claims) => claims.map(({ delivery }) => String(delivery.id)))

/** Adds a delivery that is due at the start, and claims it. */
const claimOne = (store: Store) =>
  Effect.gen(function* () {
    yield* store.deliveries.insert(aDelivery("a"))
    return (yield* claim(store))[0]!
  })

export const claims = (promised: Promised): void => {
  describe("a claim", () => {
    promised("takes a delivery at its due instant, and not before", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* store.deliveries.insert(dueAt("a", instantAfter(10)))
        yield* setTime(instantAfter(9))
        expect(yield* claimedIds(store)).toEqual([])
        yield* setTime(instantAfter(10))
        expect(yield* claimedIds(store)).toEqual(["a"])
      })
    )

    promised("returns each delivery's receiver as it is when claimed (W11)", ({ setTime, store }) =>
      Effect.gen(function* () {
        // Where ids are given they may be the same: one kind is not taken for the other.
        const automation = anAutomation("receiver")
        const destination = aDestination("receiver")
        yield* store.accounts.save(anAccount(1))
        yield* store.folders.save(aFolder("folder"))
        yield* store.automations.save({ ...automation, url: "https://old.example.com/" })
        yield* store.automations.save(automation)
        yield* store.destinations.save(destination)
        yield* Effect.forEach(["a", "b"], (id) =>
          store.deliveries.insert(aDelivery(id, { automationId: automation.id }))
        )
        const toDestination = { automationId: null, destinationId: destination.id } as const
        yield* store.deliveries.insert(aDelivery("c", toDestination))
        yield* store.deliveries.insert(aDelivery("d", { automationId: AutomationId.make("gone") }))
        const claims = yield* claim(store)
        expect(claims.map(({ receiver }) => receiver)).toEqual([
          receiverOfAutomation(automation),
          receiverOfAutomation(automation),
          receiverOfDestination(destination),
          null
        ])
        yield* setTime(instantAfter(leaseMs))
        expect((yield* claim(store)).map(({ receiver }) => receiver)).toEqual([null, null, null, null])
      })
    )

    promised("takes deliveries in order of due time, first in first out on ties, however late", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(
          [
            dueAt("z", instantAfter(5)),
            dueAt("b", instantAfter(20)),
            dueAt("m", instantAfter(5)),
            dueAt("a", instantAfter(5)),
            dueAt("c", instantAfter(1))
          ],
          store.deliveries.insert
        )
        yield* setTime(instantAfter(1_000_000))
        expect(yield* claimedIds(store)).toEqual(["c", "z", "m", "a", "b"])
      })
    )

    promised("takes a retry after deliveries that were due before it", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* store.deliveries.insert(dueAt("retried", startInstant))
        yield* store.deliveries.insert(dueAt("first in", instantAfter(60_000)))
        const [one] = yield* claim(store)
        yield* store.deliveries.settle(one!, () => failed(one!, instantAfter(60_000)))
        yield* store.deliveries.insert(dueAt("last in", instantAfter(60_000)))
        yield* setTime(instantAfter(60_000))
        expect(yield* claimedIds(store)).toEqual(["first in", "retried", "last in"])
      })
    )

    promised("takes at most its limit, and the next claim continues from there", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(["a", "b", "c", "d", "e"], (id) => store.deliveries.insert(aDelivery(id)))
        expect(yield* claimedIds(store, 2)).toEqual(["a", "b"])
        expect(yield* claimedIds(store, 2)).toEqual(["c", "d"])
        expect(yield* claimedIds(store, 2)).toEqual(["e"])
        expect(yield* claimedIds(store, 2)).toEqual([])
      })
    )

    promised("starts the attempt, which the claim returns and later reads show", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* store.deliveries.insert(aDelivery("a"))
        yield* setTime(instantAfter(7))
        const [first] = yield* claim(store)
        const started = { _tag: "Attempting", attempt: 1, startedAt: instantAfter(7), firstAttemptAt: instantAfter(7) }
        expect(first).toMatchObject({ reason: "due", result: null, delivery: { id: "a", state: started } })
        expect(yield* store.deliveries.byId(aDelivery("a").id)).toEqual(first?.delivery)
        yield* store.deliveries.settle(first!, () => ({
          ...first!.delivery,
          state: { _tag: "Waiting", retry: 1, dueAt: instantAfter(60_007), firstAttemptAt: instantAfter(7) }
        }))
        yield* setTime(instantAfter(60_010))
        const [second] = yield* claim(store)
        expect(second?.delivery.state).toEqual({
          _tag: "Attempting",
          attempt: 2,
          startedAt: instantAfter(60_010),
          firstAttemptAt: instantAfter(7),
          cancelRequested: false
        })
      })
    )

    promised("takes each delivery once, however many claims are concurrent", ({ store }) =>
      Effect.gen(function* () {
        const ids = Array.from({ length: 40 }, (_, index) => `delivery ${index}`)
        yield* Effect.forEach(ids, (id) => store.deliveries.insert(aDelivery(id)))
        const asked = Array.from({ length: 20 }, () => claimedIds(store, 3))
        const got = (yield* Effect.all(asked, { concurrency: "unbounded" })).flat()
        expect(got.toSorted()).toEqual(ids.toSorted())
      })
    )

    promised("is reverted if its transaction fails", ({ store }) =>
      Effect.gen(function* () {
        yield* store.deliveries.insert(aDelivery("a"))
        yield* Effect.exit(store.transaction(Effect.andThen(claim(store), Effect.fail("no"))))
        expect((yield* store.deliveries.byId(aDelivery("a").id))?.state._tag).toBe("Scheduled")
        expect(yield* claim(store)).toMatchObject([{ reason: "due", delivery: { id: "a" } }])
      })
    )
  })

  describe("a claim with an allocation", () => {
    const to = (account: number, receiver: string, state?: Delivery["state"]): Partial<Delivery> => ({
      accountId: AccountId.make(account),
      automationId: AutomationId.make(receiver),
      ...(state === undefined ? {} : { state })
    })
    const waiting = { _tag: "Waiting", retry: 1, dueAt: startInstant, firstAttemptAt: startInstant } as const

    /** Claims a number of deliveries of each queue. Returns the claims, and the keys that were passed to the allocation, as text. */
    const allocating = (store: Store, limit: number, ...takes: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        let keys: ReadonlyArray<string> = []
        const allocate = (asked: ReadonlyArray<QueueKey>) => {
          keys = asked.map(
            ({ accountId, isFirstAttempt, receiver }) => `${accountId} ${receiver}${isFirstAttempt ? "" : " again"}`
          )
          return asked.map((_key, index) => takes[index] ?? 0)
        }
        const claims = yield* store.deliveries.claim({ limit, leaseMs, allocate })
        return { keys, ids: claims.map(({ delivery }) => String(delivery.id)), claims }
      })

    promised(
      "passes every queue with due deliveries to the allocation, however many there were at the previous claim",
      ({ store }) =>
        Effect.gen(function* () {
          const many = (receiver: string, count: number, known: Partial<Delivery> = {}) =>
            Effect.forEach(Array.from({ length: count }).keys(), (index) =>
              store.deliveries.insert(aDelivery(`${receiver} ${index}`, { ...to(1, receiver), ...known }))
            )
          const keysAt = (limit: number, ...takes: ReadonlyArray<number>) =>
            Effect.map(allocating(store, limit, ...takes), ({ ids, keys }) => [keys.join(), ids.length])
          const receivers = Array.from("bcdefghijklm")
          yield* many("a", 12)
          expect(yield* keysAt(2, 2)).toEqual(["1 a", 2])
          yield* Effect.forEach(receivers, (receiver) => many(receiver, 1))
          const all = ["a", ...receivers].map((receiver) => `1 ${receiver}`).join()
          expect(yield* keysAt(100)).toEqual([all, 0])
          expect(yield* keysAt(15, ...Array(13).fill(1))).toEqual([all, 13])
          expect(yield* keysAt(2, 2)).toEqual(["1 a", 2])
          yield* many("z", 1, { state: { _tag: "Scheduled", dueAt: instantAfter(1) } })
          yield* many("n", 1)
          expect(yield* keysAt(100, 100, 100)).toEqual(["1 a,1 n", 8])
          expect(yield* keysAt(100)).toEqual(["", 0])
        })
    )

    promised("passes queues ordered by account, receiver, and first attempts before retries", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(
          [
            aDelivery("a", to(10, "u", waiting)),
            aDelivery("b", to(9, "y")),
            aDelivery("c", to(10, "u")),
            aDelivery("d", to(9, "x")),
            aDelivery("e", to(9, "x")),
            dueAt("f", instantAfter(1), to(8, "z")),
            aDelivery("g", {
              automationId: null,
              destinationId: DestinationId.make("w"),
              accountId: AccountId.make(9)
            })
          ],
          store.deliveries.insert
        )
        for (const limit of [100, 1]) {
          const { ids, keys } = yield* allocating(store, limit)
          expect(keys).toEqual(["9 w", "9 x", "9 y", "10 u", "10 u again"])
          expect(ids).toEqual([])
        }
      })
    )

    promised(
      "takes of each queue the allocated number, the oldest first, and returns all in order of due time",
      ({ setTime, store }) =>
        Effect.gen(function* () {
          for (let ms = 0; ms < 30; ms++)
            yield* store.deliveries.insert(dueAt(`flood ${ms}`, instantAfter(ms), to(1, "x")))
          yield* store.deliveries.insert(dueAt("late", instantAfter(40), to(2, "w")))
          yield* store.deliveries.insert(dueAt("early", instantAfter(1), to(2, "w")))
          yield* setTime(instantAfter(100))
          const first = yield* allocating(store, 10, 2, 2)
          expect(first.ids).toEqual(["flood 0", "flood 1", "early", "late"])
          expect(first.claims.every(({ reason }) => reason === "due")).toBe(true)
          expect((yield* allocating(store, 10, 3)).ids).toEqual(["flood 2", "flood 3", "flood 4"])
          expect((yield* allocating(store, 100, 100)).ids).toHaveLength(25)
        })
    )

    promised("takes at most its limit, however many are allocated", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(["a", "b", "c"], (id) => store.deliveries.insert(aDelivery(id, to(1, id))))
        expect((yield* allocating(store, 2, 5, 5, 5)).ids).toEqual(["a", "b"])
        expect((yield* allocating(store, 2, 5, 5, 5)).ids).toEqual(["c"])
      })
    )

    promised(
      "finds a lost delivery in its queue and at its position, and none that is in flight",
      ({ setTime, store }) =>
        Effect.gen(function* () {
          yield* store.deliveries.insert(aDelivery("a", to(1, "x")))
          yield* store.deliveries.insert(aDelivery("b", to(1, "x", waiting)))
          yield* allocating(store, 2, 1, 1)
          yield* store.deliveries.insert(aDelivery("c", to(1, "y")))
          for (const limit of [100, 1]) expect((yield* allocating(store, limit)).keys).toEqual(["1 y"])
          yield* setTime(instantAfter(leaseMs))
          yield* store.deliveries.insert(aDelivery("d", to(1, "x")))
          for (const limit of [100, 1])
            expect((yield* allocating(store, limit)).keys).toEqual(["1 x", "1 x again", "1 y"])
          const { claims, ids } = yield* allocating(store, 100, 2, 1, 1)
          expect(ids).toEqual(["a", "b", "c", "d"])
          expect(claims.map(({ reason }) => reason)).toEqual(["lost", "lost", "due", "due"])
        })
    )

    promised("takes lost deliveries before ones that were due later, however small its limit", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(["a", "b"], (id) => store.deliveries.insert(aDelivery(id)))
        yield* claim(store)
        yield* store.deliveries.insert(dueAt("c", instantAfter(1)))
        yield* setTime(instantAfter(leaseMs))
        for (const id of ["a", "b", "c"]) expect(yield* claimedIds(store, 1)).toEqual([id])
      })
    )
  })

  describe("a delivery that is given back", () => {
    promised(
      "is due at once, before deliveries that became due since, and its attempt does not count",
      ({ setTime, store }) =>
        Effect.gen(function* () {
          const mine = yield* claimOne(store)
          yield* setTime(instantAfter(5))
          yield* store.deliveries.insert(dueAt("b", instantAfter(5)))
          const back = { ...mine.delivery, state: { _tag: "Scheduled", dueAt: startInstant } as const }
          expect(yield* store.deliveries.settle(mine, () => back)).not.toBeNull()
          expect(yield* store.deliveries.byId(mine.delivery.id)).toEqual(back)
          const claims = yield* claim(store)
          expect(claims).toMatchObject([
            { reason: "due", delivery: { id: "a", attempts: [], state: { attempt: 1, startedAt: instantAfter(5) } } },
            { reason: "due", delivery: { id: "b" } }
          ])
          expect(claims[0]!.fence).toBeGreaterThan(mine.fence)
          expect(yield* store.deliveries.settle(mine, () => delivered(mine))).toBeNull()
        })
    )
  })

  describe("a result that is held until its time", () => {
    const result = aResult({ outcome: "timeout", statusCode: null, response: null, error: "timed out after 30000 ms" })

    promised("is returned at that instant, not before, even long after the lease", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* store.deliveries.hold(mine, result, instantAfter(30_000))
        expect(yield* store.deliveries.byId(mine.delivery.id)).toEqual(mine.delivery)
        yield* setTime(instantAfter(29_999))
        expect(yield* claim(store)).toEqual([])
        yield* setTime(instantAfter(30_000))
        const [answered] = yield* claim(store)
        expect(answered).toMatchObject({ reason: "answered", result, delivery: mine.delivery })
        expect(answered!.fence).toBeGreaterThan(mine.fence)
        expect(yield* store.deliveries.settle(answered!, () => failed(answered!, instantAfter(60_000)))).not.toBeNull()
        expect(yield* store.deliveries.byId(mine.delivery.id)).toEqual(failed(mine, instantAfter(60_000)))
      })
    )

    promised("is returned again if the worker that was to record it is lost", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* store.deliveries.hold(mine, result, instantAfter(10))
        yield* setTime(instantAfter(10))
        const [first] = yield* claim(store)
        expect(yield* claim(store)).toEqual([])
        yield* setTime(instantAfter(10 + leaseMs))
        const [second] = yield* claim(store)
        expect(second).toMatchObject({ reason: "answered", result })
        expect(yield* store.deliveries.settle(first!, () => delivered(first!))).toBeNull()
        expect(yield* store.deliveries.settle(second!, () => delivered(second!))).not.toBeNull()
      })
    )

    promised("is removed with its attempt", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* store.deliveries.hold(mine, result, instantAfter(10))
        yield* setTime(instantAfter(10))
        const [answered] = yield* claim(store)
        yield* store.deliveries.settle(answered!, () => failed(answered!, instantAfter(60_000)))
        yield* setTime(instantAfter(60_000))
        expect(yield* claim(store)).toMatchObject([{ reason: "due", result: null }])
        yield* setTime(instantAfter(60_000 + leaseMs))
        expect(yield* claim(store)).toMatchObject([{ reason: "lost", result: null }])
      })
    )

    promised("is not stored for a worker that has lost the delivery", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* setTime(instantAfter(leaseMs))
        const [theirs] = yield* claim(store)
        yield* store.deliveries.hold(mine, result, instantAfter(leaseMs + 1))
        yield* setTime(instantAfter(leaseMs + 1))
        expect(yield* claim(store)).toEqual([])
        expect(yield* store.deliveries.settle(theirs!, () => delivered(theirs!))).not.toBeNull()
      })
    )
  })
}
