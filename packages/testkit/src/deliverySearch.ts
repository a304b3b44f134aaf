import type { DeliverySearch, Store } from "@tapedeck/core"
import { AutomationId, type Delivery, DeliveryId, DestinationId } from "@tapedeck/domain"
import { Effect, identity } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { aDelivery, anAccount, instantAfter, uuidOf } from "./samples.ts"

const acme = anAccount(1).id
const crm = AutomationId.make("crm")

const search = (store: Store, asked: Omit<DeliverySearch, "accountId">, place: number | null = null) =>
  store.deliveries.search({ accountId: acme, ...asked }, place, 2, identity)

const idsOf = (store: Store, asked: Omit<DeliverySearch, "accountId"> = {}) =>
  Effect.gen(function* () {
    const ids: Array<string> = []
    let place: number | null = null
    do {
      const found: Effect.Success<ReturnType<typeof search>> = yield* search(store, asked, place)
      if (place === null) expect(found.isExact).toBe(true)
      ids.push(...found.items.map(({ id }) => String(id)))
      place = found.next
    } while (place !== null)
    expect((yield* search(store, asked)).count).toBe(ids.length)
    return ids.join(" ")
  })

const ended = (state: "Delivered" | "PermanentlyFailed" | "Cancelled" | "Skipped"): Partial<Delivery> => ({
  state: { _tag: state, at: instantAfter(9) }
})

export const deliverySearch = (promised: Promised): void => {
  describe("a search of deliveries", () => {
    promised("finds deliveries by state, receiver, recording, event, period and account, newest first", ({ store }) =>
      Effect.gen(function* () {
        const all = [
          aDelivery("a", { automationId: crm, createdAt: instantAfter(1) }),
          aDelivery("b", { automationId: crm, createdAt: instantAfter(2), ...ended("PermanentlyFailed") }),
          aDelivery("c", {
            automationId: null,
            destinationId: DestinationId.make("siem"),
            event: "user.login",
            createdAt: instantAfter(120_000)
          }),
          aDelivery("d", {
            automationId: crm,
            recordingUuid: uuidOf(7),
            createdAt: instantAfter(240_000),
            ...ended("Cancelled")
          }),
          aDelivery("e", { accountId: anAccount(2).id, automationId: crm, createdAt: instantAfter(240_001) }),
          aDelivery("f", {
            automationId: AutomationId.make("other"),
            createdAt: instantAfter(240_002),
            ...ended("Skipped"),
            skipped: { reason: "no_ticket", variables: [] }
          })
        ]
        for (const one of all) yield* store.deliveries.insert(one)
        expect(yield* idsOf(store)).toBe("f d c b a")
        expect(yield* idsOf(store, { automationId: crm })).toBe("d b a")
        expect(yield* idsOf(store, { destinationId: DestinationId.make("siem") })).toBe("c")
        expect(yield* idsOf(store, { recordingUuid: uuidOf(7) })).toBe("d")
        expect(yield* idsOf(store, { state: "Scheduled" })).toBe("c a")
        expect(yield* idsOf(store, { state: "PermanentlyFailed" })).toBe("b")
        expect(yield* idsOf(store, { state: "Cancelled", automationId: crm })).toBe("d")
        expect(yield* idsOf(store, { state: "Skipped" })).toBe("f")
        const skipped = yield* store.deliveries.byId(DeliveryId.make("f"))
        expect(skipped).toEqual(all[5])
        expect(yield* store.agenda.list).toHaveLength(3)
        expect(yield* idsOf(store, { state: "Delivered" })).toBe("")
        expect(yield* idsOf(store, { event: "user.login" })).toBe("c")
        expect(yield* idsOf(store, { since: instantAfter(2), until: instantAfter(240_000) })).toBe("c b")
        expect(yield* idsOf(store, { since: instantAfter(240_000), automationId: crm })).toBe("d")
        expect(yield* idsOf(store, { until: instantAfter(2) })).toBe("a")
      })
    )

    promised("finds deliveries by the status of any attempt, and delivered ones", ({ store }) =>
      Effect.gen(function* () {
        yield* store.deliveries.insert(aDelivery("a", { automationId: crm }))
        yield* store.deliveries.insert(aDelivery("b", { automationId: crm }))
        const [claim] = yield* store.deliveries.claim({ limit: 1, leaseMs: 1_000 })
        yield* store.deliveries.settle(claim!, (delivery, at) => ({
          ...delivery,
          state: { _tag: "Delivered", at },
          attempts: [
            {
              attempt: 1,
              at,
              elapsedMs: 0,
              endedAt: at,
              outcome: "success",
              statusCode: 204,
              request: null,
              response: null,
              error: null
            }
          ]
        }))
        expect(yield* idsOf(store, { state: "Delivered" })).toBe("a")
        expect(yield* idsOf(store, { statusCode: 204 })).toBe("a")
        expect(yield* idsOf(store, { statusCode: 20 })).toBe("")
        expect(yield* idsOf(store, { state: "Scheduled", automationId: crm })).toBe("b")
      })
    )
  })
}
