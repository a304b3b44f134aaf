import type { CancelProgress, Store, WebhookReceiver } from "@tapedeck/core"
import { AutomationId, type Delivery, DestinationId, type Instant } from "@tapedeck/domain"
import { Effect, identity } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { aDelivery, aResult, failed, instantAfter } from "./samples.ts"

const automationId = AutomationId.make("one")
const receiver = { automationId }

const made = (store: Store, ids: ReadonlyArray<string>, known: Partial<Delivery> = {}) =>
  Effect.forEach(ids, (id) => store.deliveries.insert(aDelivery(id, { automationId, ...known })))

const cancelled = (at: Instant) => ({ _tag: "Cancelled", at })

const stateOf = (store: Store, id: string) =>
  Effect.map(store.deliveries.byId(aDelivery(id).id), (delivery) => delivery?.state)

/** Cancels until nothing is left, and runs an effect between the batches. Returns the number of cancelled deliveries. */
const cancelAll = Effect.fnUntraced(function* (
  store: Store,
  { at, limit = 100 }: { readonly at: Instant; readonly limit?: number },
  between: Effect.Effect<unknown> = Effect.void,
  of: WebhookReceiver = receiver
) {
  let progress: CancelProgress | null = null
  let batches = 0
  do {
    progress = yield* store.deliveries.cancelOf(of, { at, limit, progress })
    batches++
    yield* between
  } while (progress !== null)
  return batches
})

export const cancelling = (promised: Promised): void => {
  describe("the deliveries of a receiver that is disabled or deleted (W11)", () => {
    promised(
      "are cancelled in batches, before the first attempt and before a retry, and none of them is due",
      ({ store }) =>
        Effect.gen(function* () {
          yield* made(store, ["a", "b", "c", "d", "e"])
          const [first] = yield* store.deliveries.claim({ limit: 1, leaseMs: 1_000 })
          yield* store.deliveries.settle(first!, () => failed(first!, instantAfter(60_000)))
          expect(yield* cancelAll(store, { at: instantAfter(7), limit: 2 })).toBeGreaterThan(1)
          for (const id of ["a", "b", "c", "d", "e"])
            expect(yield* stateOf(store, id)).toEqual(cancelled(instantAfter(7)))
          expect((yield* store.deliveries.byId(first!.delivery.id))?.attempts).toHaveLength(1)
          expect(yield* store.agenda.list).toEqual([])
          expect(yield* store.deliveries.queue).toMatchObject({ scheduled: 0, waiting: 0, attempting: 0 })
          expect(
            (yield* store.deliveries.page({ ...receiver, state: "Cancelled" }, { offset: 0, limit: 9 }, identity)).count
          ).toBe(5)
        })
    )

    promised(
      "are distinguished from other receivers' deliveries, also from those of a destination with the same id, and from ended ones",
      ({ store }) =>
        Effect.gen(function* () {
          const destinationId = DestinationId.make("one")
          yield* made(store, ["ended"], { state: { _tag: "Delivered", at: instantAfter(1) } })
          yield* made(store, ["a"])
          yield* made(store, ["other"], { automationId: AutomationId.make("two") })
          yield* made(store, ["audit"], { automationId: null, destinationId })
          yield* cancelAll(store, { at: instantAfter(7), limit: 1 })
          const states = yield* Effect.forEach(["ended", "a", "other", "audit"], (id) => stateOf(store, id))
          expect(states.map((state) => state?._tag)).toEqual(["Delivered", "Cancelled", "Scheduled", "Scheduled"])
          yield* cancelAll(store, { at: instantAfter(8) }, Effect.void, { destinationId })
          expect(yield* stateOf(store, "audit")).toEqual(cancelled(instantAfter(8)))
          expect(yield* stateOf(store, "a")).toEqual(cancelled(instantAfter(7)))
        })
    )

    promised("are kept if they were made between two batches, because the receiver was enabled again", ({ store }) =>
      Effect.gen(function* () {
        yield* made(store, ["a", "b", "c"])
        let next = 0
        yield* cancelAll(
          store,
          { at: instantAfter(7), limit: 1 },
          Effect.suspend(() => made(store, [`new${next++}`]))
        )
        const { items } = yield* store.deliveries.page(receiver, { offset: 0, limit: 100 }, identity)
        const left = items.filter(({ state }) => state._tag === "Scheduled").map(({ id }) => String(id))
        expect(left.toSorted()).toEqual(Array.from({ length: next }, (_, index) => `new${index}`).toSorted())
      })
    )

    promised(
      "end without a retry if they are in flight: their workers learn of it when they settle",
      ({ setTime, store }) =>
        Effect.gen(function* () {
          yield* made(store, ["a", "b", "c"])
          const [a, b] = yield* store.deliveries.claim({ limit: 2, leaseMs: 1_000 })
          yield* store.deliveries.hold(b!, aResult(), instantAfter(500))
          yield* cancelAll(store, { at: instantAfter(7), limit: 1 })
          yield* cancelAll(store, { at: instantAfter(8), limit: 1 })
          expect(yield* stateOf(store, "c")).toEqual(cancelled(instantAfter(7)))
          for (const claim of [a!, b!]) {
            const state = { ...claim.delivery.state, cancelRequested: true }
            expect(yield* stateOf(store, String(claim.delivery.id))).toEqual(state)
          }
          let found: Delivery | undefined
          yield* store.deliveries.settle(a!, (delivery) => {
            found = delivery
            return { ...failed(a!, instantAfter(60_000)), state: { _tag: "Cancelled", at: instantAfter(9) } }
          })
          expect(found?.state).toMatchObject({ _tag: "Attempting", cancelRequested: true })
          yield* setTime(instantAfter(500))
          const [answered] = yield* store.deliveries.claim({ limit: 1, leaseMs: 1_000 })
          expect(answered).toMatchObject({
            reason: "answered",
            delivery: { id: "b", state: { cancelRequested: true } }
          })
        })
    )

    promised("are unchanged by a failed transaction", ({ store }) =>
      Effect.gen(function* () {
        yield* made(store, ["a", "b"])
        const before = yield* store.agenda.list
        yield* Effect.exit(
          store.transaction(Effect.andThen(cancelAll(store, { at: instantAfter(7) }), Effect.fail("no")))
        )
        expect(yield* stateOf(store, "a")).toMatchObject({ _tag: "Scheduled" })
        expect(yield* store.agenda.list).toEqual(before)
      })
    )

    promised("are cancelled in one call if there are none", ({ store }) =>
      Effect.gen(function* () {
        expect(yield* cancelAll(store, { at: instantAfter(7) })).toBe(1)
      })
    )
  })
}
