import type { Store } from "@tapedeck/core"
import { AutomationId, type Delivery, type Instant } from "@tapedeck/domain"
import type { Claim } from "@tapedeck/domain/delivery"
import { attemptStatistics } from "@tapedeck/domain/internal/delivery"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { aDelivery, anAccount, instantAfter } from "./samples.ts"

const acme = anAccount(1).id
const hour = 3_600_000

const attempted = (delivery: Delivery, at: Instant, isSuccess: boolean, state: Delivery["state"]): Delivery => ({
  ...delivery,
  state,
  attempts: [
    ...delivery.attempts,
    {
      attempt: delivery.attempts.length + 1,
      at,
      elapsedMs: 0,
      endedAt: (at + 40) as Instant,
      outcome: isSuccess ? "success" : "failure",
      statusCode: isSuccess ? 200 : 500,
      request: null,
      response: null,
      error: null
    }
  ]
})

const settle = (store: Store, claim: Claim, at: Instant, tag: "Delivered" | "PermanentlyFailed") =>
  store.deliveries.settle(claim, (delivery) =>
    attempted(delivery, at, tag === "Delivered", { _tag: tag, at: (at + 40) as Instant })
  )

/** Makes one attempt for each of these deliveries at the same time, in the order of creation. */
const attempts = (store: Store, at: Instant, outcomes: string, changes: Partial<Delivery> = {}) =>
  Effect.gen(function* () {
    for (const [index, outcome] of [...outcomes].entries()) {
      const id = `${at} ${changes.automationId ?? "crm"} ${index}${outcome}`
      yield* store.deliveries.insert(aDelivery(id, { automationId: AutomationId.make("crm"), ...changes }))
    }
    const claims = yield* store.deliveries.claim({ limit: outcomes.length, leaseMs: 60_000 })
    yield* Effect.all(
      claims.map((claim) =>
        settle(store, claim, at, claim.delivery.id.endsWith("+") ? "Delivered" : "PermanentlyFailed")
      ),
      { concurrency: "unbounded" }
    )
  })

export const statistics = (promised: Promised): void => {
  const period = { accountId: acme, since: instantAfter(0), until: instantAfter(3 * hour) }

  describe("the counters of attempts", () => {
    promised("add each settled attempt to its hour, receiver and result", ({ store }) =>
      Effect.gen(function* () {
        yield* attempts(store, instantAfter(0), "++-")
        yield* attempts(store, instantAfter(hour), "+", { automationId: AutomationId.make("other") })
        yield* attempts(store, instantAfter(2 * hour), "-", { accountId: anAccount(2).id })
        const hours = yield* store.statistics.byHour(period)
        const summed = (at: number) =>
          attemptStatistics(hours.flatMap(([one, ...count]) => (one === instantAfter(at) ? [count] : []))).counts
        expect(summed(0)).toMatchObject({ delivered: 2, permanently_failed: 1 })
        expect(summed(hour)).toMatchObject({ delivered: 1, permanently_failed: 0 })
        expect(hours.every(([one]) => one < instantAfter(2 * hour))).toBe(true)
        const receivers = yield* store.statistics.byReceiver(period)
        expect([...new Set(receivers.map(([receiver]) => receiver))]).toEqual(["a:crm", "a:other"])
        const ofOther = yield* store.statistics.byHour({ ...period, receiver: "a:other" })
        expect(ofOther.map(([one, , count]) => [one, count])).toEqual([[instantAfter(hour), 1]])
        expect(
          yield* store.statistics.byHour({ ...period, until: instantAfter(hour), since: instantAfter(hour) })
        ).toEqual([])
      })
    )

    promised("count many attempts that end at the same time once each", ({ store }) =>
      Effect.gen(function* () {
        yield* attempts(store, instantAfter(0), "+-".repeat(60))
        const counts = attemptStatistics((yield* store.statistics.byHour(period)).map(([, ...count]) => count)).counts
        expect(counts).toMatchObject({ delivered: 60, permanently_failed: 60 })
      })
    )

    promised("do not count an attempt whose claim was lost, nor send-tests", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* store.deliveries.insert(aDelivery("a", { automationId: AutomationId.make("crm") }))
        const [lost] = yield* store.deliveries.claim({ limit: 1, leaseMs: 10 })
        yield* setTime(instantAfter(20))
        yield* store.deliveries.claim({ limit: 1, leaseMs: 1_000 })
        yield* settle(store, lost!, instantAfter(0), "Delivered")
        yield* attempts(store, instantAfter(30), "+", { test: true })
        expect(yield* store.statistics.byHour(period)).toEqual([])
        expect((yield* store.statistics.health(acme)).size).toBe(0)
      })
    )

    promised("are removed by hour, with those of removed receivers", ({ store }) =>
      Effect.gen(function* () {
        yield* attempts(store, instantAfter(0), "+", { automationId: AutomationId.make("old") })
        yield* attempts(store, instantAfter(hour), "+")
        yield* store.statistics.prune(acme, instantAfter(hour))
        expect((yield* store.statistics.byHour(period)).map(([one]) => one)).toEqual([instantAfter(hour)])
        expect([...(yield* store.statistics.health(acme)).keys()]).toEqual(["a:crm"])
      })
    )
  })

  describe("the health of a receiver", () => {
    promised("has the last success, the start of the failures, and their number", ({ store }) =>
      Effect.gen(function* () {
        const health = Effect.map(store.statistics.health(acme, "a:crm"), (all) => all.get("a:crm"))
        expect(yield* health).toBeUndefined()
        yield* attempts(store, instantAfter(0), "-")
        yield* attempts(store, instantAfter(1_000), "--")
        expect(yield* health).toEqual({ lastSuccessAt: null, failingSince: instantAfter(40), failedInARow: 3 })
        yield* attempts(store, instantAfter(2_000), "+")
        expect(yield* health).toEqual({ lastSuccessAt: instantAfter(2_040), failingSince: null, failedInARow: 0 })
        yield* attempts(store, instantAfter(3_000), "-")
        yield* attempts(store, instantAfter(4_000), "+", { automationId: AutomationId.make("other") })
        expect(yield* health).toEqual({
          lastSuccessAt: instantAfter(2_040),
          failingSince: instantAfter(3_040),
          failedInARow: 1
        })
        expect((yield* store.statistics.health(acme)).size).toBe(2)
        expect((yield* store.statistics.health(anAccount(2).id)).size).toBe(0)
      })
    )
  })
}
