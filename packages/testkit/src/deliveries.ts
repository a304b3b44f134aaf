import type { DeliveryFilter, Store } from "@tapedeck/core"
import { AccountId, AuditEntryId, AutomationId, type Delivery, DestinationId } from "@tapedeck/domain"
import { auditSchedule, type Claim } from "@tapedeck/domain/delivery"
import { Effect, identity } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { aDelivery, aResult, delivered, dueAt, failed, instantAfter, startInstant, uuidOf } from "./samples.ts"

const listed = (store: Store, filter: DeliveryFilter) =>
  Effect.map(store.deliveries.list(filter), (found) => found.map(({ id }) => String(id)))

export const deliveries = (promised: Promised): void => {
  describe("deliveries", () => {
    promised("are read as they were created", ({ store }) =>
      Effect.gen(function* () {
        const audit = aDelivery("b", {
          automationId: null,
          destinationId: DestinationId.make("d"),
          recordingUuid: null,
          auditEntryId: AuditEntryId.make(9),
          test: true,
          schedule: auditSchedule(10),
          event: "user.login",
          createdAt: instantAfter(3)
        })
        yield* store.deliveries.insert(aDelivery("a"))
        yield* store.deliveries.insert(audit)
        expect(yield* store.deliveries.byId(aDelivery("a").id)).toEqual(aDelivery("a"))
        expect(yield* store.deliveries.byId(audit.id)).toEqual(audit)
        expect(yield* store.deliveries.byId(aDelivery("c").id)).toBeUndefined()
      })
    )

    promised("are read with their attempts, complete with headers", ({ store }) =>
      Effect.gen(function* () {
        yield* store.deliveries.insert(aDelivery("a"))
        const [claim] = yield* store.deliveries.claim({ limit: 1, leaseMs: 1_000 })
        const after1 = failed(claim!, instantAfter(60_000))
        expect(yield* store.deliveries.settle(claim!, () => after1)).not.toBeNull()
        expect(yield* store.deliveries.byId(aDelivery("a").id)).toEqual(after1)
        expect(yield* store.deliveries.list({})).toEqual([after1])
      })
    )

    promised("are listed in order of creation, whatever their due time and state", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(
          [
            dueAt("z", instantAfter(50)),
            dueAt("a", instantAfter(0)),
            dueAt("m", instantAfter(0)),
            dueAt("b", instantAfter(10))
          ],
          store.deliveries.insert
        )
        expect(yield* listed(store, {})).toEqual(["z", "a", "m", "b"])
        const [first] = yield* store.deliveries.claim({ limit: 1, leaseMs: 1_000 })
        yield* store.deliveries.settle(first!, () => delivered(first!))
        expect(yield* listed(store, {})).toEqual(["z", "a", "m", "b"])
      })
    )

    promised(
      "are filtered by state, automation, destination, recording and audit entry, and by several of these",
      ({ store }) =>
        Effect.gen(function* () {
          const [one, two] = [AutomationId.make("one"), AutomationId.make("two")]
          const destinationId = DestinationId.make("d")
          const auditEntryId = AuditEntryId.make(7)
          yield* Effect.forEach(
            [
              aDelivery("a", { automationId: one }),
              aDelivery("b", { automationId: two, recordingUuid: uuidOf(2) }),
              aDelivery("c", { automationId: null, destinationId, recordingUuid: null, auditEntryId }),
              dueAt("d", instantAfter(9), { automationId: one, recordingUuid: uuidOf(2) })
            ],
            store.deliveries.insert
          )
          expect(yield* listed(store, { automationId: one })).toEqual(["a", "d"])
          expect(yield* listed(store, { destinationId })).toEqual(["c"])
          expect(yield* listed(store, { auditEntryId })).toEqual(["c"])
          expect(yield* listed(store, { auditEntryId, destinationId })).toEqual(["c"])
          expect(yield* listed(store, { auditEntryId: AuditEntryId.make(8), destinationId })).toEqual([])
          expect(yield* listed(store, { recordingUuid: uuidOf(2) })).toEqual(["b", "d"])
          expect(yield* listed(store, { automationId: one, recordingUuid: uuidOf(2) })).toEqual(["d"])
          expect(yield* listed(store, { automationId: AutomationId.make("three") })).toEqual([])
          expect(yield* listed(store, { state: "Scheduled" })).toEqual(["a", "b", "c", "d"])
          const [first] = yield* store.deliveries.claim({ limit: 1, leaseMs: 1_000 })
          expect(yield* listed(store, { state: "Attempting" })).toEqual(["a"])
          yield* store.deliveries.settle(first!, () => failed(first!, instantAfter(60_000)))
          expect(yield* listed(store, { state: "Attempting" })).toEqual([])
          expect(yield* listed(store, { state: "Waiting", automationId: one })).toEqual(["a"])
          expect(yield* listed(store, { state: "Scheduled", automationId: one })).toEqual(["d"])
        })
    )

    promised("are listed in pages, newest first, with the total count", ({ store }) =>
      Effect.gen(function* () {
        const automationId = AutomationId.make("one")
        yield* Effect.forEach(
          [
            dueAt("a", instantAfter(9)),
            aDelivery("b", { automationId }),
            aDelivery("c"),
            aDelivery("d", { automationId })
          ],
          store.deliveries.insert
        )
        const page = (filter: DeliveryFilter, offset: number, limit: number) =>
          Effect.map(store.deliveries.page(filter, { offset, limit }, identity), ({ count, items }) => [
            count,
            ...items.map(({ id }) => String(id))
          ])
        expect(yield* page({}, 0, 10)).toEqual([4, "d", "c", "b", "a"])
        expect(yield* page({}, 1, 2)).toEqual([4, "c", "b"])
        expect(yield* page({}, 4, 2)).toEqual([4])
        expect(yield* page({ automationId }, 0, 1)).toEqual([2, "d"])
        expect(yield* page({ automationId, state: "Delivered" }, 0, 1)).toEqual([0])
      })
    )

    promised("of an account are found by their recording, even if it or their receivers are deleted", ({ store }) =>
      Effect.gen(function* () {
        const made = (id: string, known: Partial<Delivery>) => store.deliveries.insert(aDelivery(id, known))
        yield* made("a", { recordingUuid: uuidOf(1) })
        yield* made("b", { recordingUuid: uuidOf(1), accountId: AccountId.make(2) })
        yield* made("c", { recordingUuid: uuidOf(2) })
        const filter = { accountId: aDelivery("a").accountId, recordingUuid: uuidOf(1) }
        expect(yield* listed(store, filter)).toEqual(["a"])
        const slice = { offset: 0, limit: 10 }
        expect(yield* store.deliveries.page(filter, slice, identity)).toMatchObject({
          count: 1,
          items: [{ id: "a" }]
        })
        expect(yield* store.deliveries.page({ ...filter, state: "Waiting" }, slice, identity)).toEqual({
          count: 0,
          items: []
        })
      })
    )

    promised("contain 64 KiB of bodies in a page of a list, and all of them when read alone", ({ store }) =>
      Effect.gen(function* () {
        const whole = `"${"é".repeat(32_767)}"`
        const long = `${whole}\n`
        const response = { headers: [], body: "x".repeat(40_000), truncated: false }
        const attempt = {
          ...aResult({ response }),
          attempt: 1,
          at: startInstant,
          elapsedMs: 0,
          endedAt: instantAfter(1)
        }
        const attempts = [attempt, { ...attempt, attempt: 2 }]
        yield* store.deliveries.insert(aDelivery("whole", { body: whole }))
        yield* store.deliveries.insert(
          aDelivery("long", { body: long, attempts, state: { _tag: "Cancelled", at: instantAfter(2) } })
        )
        const { items } = yield* store.deliveries.page({}, { offset: 0, limit: 10 }, identity)
        expect(items.map(({ body, isBodyCut }) => [body === whole, isBodyCut])).toEqual([
          [true, true],
          [true, false]
        ])
        const bodies = items[0]!.attempts.map(({ response }) => [response!.body.length, response!.truncated])
        expect(bodies).toEqual([
          [25_536, true],
          [40_000, false]
        ])
        const alone = yield* store.deliveries.byId(aDelivery("long").id)
        expect(alone).toEqual(
          aDelivery("long", { body: long, attempts, state: { _tag: "Cancelled", at: instantAfter(2) } })
        )
      })
    )

    promised("keep an attempt whose worker was lost, without a request (W15)", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* store.deliveries.insert(aDelivery("a"))
        yield* store.deliveries.claim({ limit: 1, leaseMs: 1_000 })
        yield* setTime(instantAfter(1_000))
        const [claim] = yield* store.deliveries.claim({ limit: 1, leaseMs: 1_000 })
        const result = aResult({ outcome: "lost", statusCode: null, request: null, response: null, error: "lost" })
        const attempt = { ...result, attempt: 1, at: startInstant, elapsedMs: 0, endedAt: instantAfter(1_000) }
        const settled = { ...failed(claim!, instantAfter(60_000)), attempts: [attempt] }
        expect(yield* store.deliveries.settle(claim!, () => settled)).toEqual(settled)
        expect(yield* store.deliveries.byId(settled.id)).toEqual(settled)
        yield* setTime(instantAfter(60_000))
        const [again] = yield* store.deliveries.claim({ limit: 1, leaseMs: 1_000 })
        expect(again).toMatchObject({ reason: "due", delivery: { attempts: [attempt] } })
      })
    )

    promised("are found by their end, whichever operation ended them", ({ store }) =>
      Effect.gen(function* () {
        const automationId = AutomationId.make("one")
        const made = (id: string, changes?: Partial<Delivery>) =>
          store.deliveries.insert(aDelivery(id, { automationId, ...changes }))
        const ending = (state: Delivery["state"]) => (claim: Claim) =>
          store.deliveries.settle(claim, () => ({ ...delivered(claim), state }))
        yield* made("inserted", { state: { _tag: "Delivered", at: instantAfter(2) } })
        yield* Effect.forEach(["delivered", "failed", "called off", "open"], (id) => made(id))
        yield* store.deliveries.insert(aDelivery("another's"))
        const [one, two, three] = yield* store.deliveries.claim({ limit: 3, leaseMs: 1_000 })
        yield* store.deliveries.settle(one!, () => delivered(one!))
        yield* ending({ _tag: "PermanentlyFailed", at: instantAfter(3) })(two!)
        yield* ending({ _tag: "Cancelled", at: instantAfter(4) })(three!)
        const ended = (state: Delivery["state"]["_tag"]) => listed(store, { automationId, state })
        expect(yield* ended("Delivered")).toEqual(["inserted", "delivered"])
        expect(yield* ended("PermanentlyFailed")).toEqual(["failed"])
        expect(yield* ended("Cancelled")).toEqual(["called off"])
        expect(yield* ended("Scheduled")).toEqual(["open"])
        const page = yield* store.deliveries.page(
          { automationId, state: "Delivered" },
          { offset: 0, limit: 1 },
          identity
        )
        expect(page).toMatchObject({ count: 2, items: [{ id: "delivered", state: { at: instantAfter(1) } }] })
      })
    )

    promised("of a failed transaction are neither listed nor due", ({ store }) =>
      Effect.gen(function* () {
        const insert = store.deliveries.insert(aDelivery("a"))
        yield* Effect.exit(store.transaction(Effect.andThen(insert, Effect.fail("no"))))
        expect(yield* listed(store, {})).toEqual([])
        expect(yield* store.deliveries.claim({ limit: 9, leaseMs: 1_000 })).toEqual([])
      })
    )
  })

  describe("a cancelled delivery", () => {
    const cancelled = { _tag: "Cancelled", at: startInstant } as const
    const claimAll = (store: Store) => store.deliveries.claim({ limit: 9, leaseMs: 1_000 })

    promised("is never due if it was cancelled before its first attempt", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* store.deliveries.insert(dueAt("a", instantAfter(5)))
        yield* store.deliveries.update(aDelivery("a", { state: cancelled }))
        yield* setTime(instantAfter(1_000_000))
        expect(yield* claimAll(store)).toEqual([])
        expect(yield* store.agenda.list).toEqual([])
        expect((yield* store.deliveries.byId(aDelivery("a").id))?.state).toEqual(cancelled)
      })
    )

    promised("is never due again if it was cancelled while it waited for a retry", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* store.deliveries.insert(aDelivery("a"))
        const [claim] = yield* claimAll(store)
        const waiting = failed(claim!, instantAfter(60_000))
        yield* store.deliveries.settle(claim!, () => waiting)
        yield* store.deliveries.update({ ...waiting, state: cancelled })
        yield* setTime(instantAfter(1_000_000))
        expect(yield* claimAll(store)).toEqual([])
        expect(yield* store.deliveries.byId(aDelivery("a").id)).toEqual({ ...waiting, state: cancelled })
      })
    )

    promised(
      "stays its worker's during an attempt, and the worker learns of it when it settles (W11)",
      ({ setTime, store }) =>
        Effect.gen(function* () {
          yield* store.deliveries.insert(aDelivery("a"))
          const [claim] = yield* claimAll(store)
          const requested = { ...claim!.delivery.state, cancelRequested: true } as Delivery["state"]
          yield* store.deliveries.update({ ...claim!.delivery, state: requested })
          expect((yield* store.deliveries.byId(aDelivery("a").id))?.state).toEqual(requested)
          yield* setTime(instantAfter(999))
          expect(yield* claimAll(store)).toEqual([])
          expect(
            yield* store.deliveries.settle(claim!, () => ({ ...claim!.delivery, state: cancelled }))
          ).not.toBeNull()
          yield* setTime(instantAfter(1_000_000))
          expect(yield* claimAll(store)).toEqual([])
        })
    )

    promised("is still found lost if it was cancelled during an attempt and its worker is lost", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* store.deliveries.insert(aDelivery("a"))
        const [claim] = yield* claimAll(store)
        const state = { ...claim!.delivery.state, cancelRequested: true } as Delivery["state"]
        yield* store.deliveries.update({ ...claim!.delivery, state })
        yield* setTime(instantAfter(1_000))
        expect(yield* claimAll(store)).toMatchObject([{ reason: "lost", delivery: { id: "a", state } }])
      })
    )
  })
}
