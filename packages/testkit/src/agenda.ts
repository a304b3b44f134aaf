import type { Due, Store } from "@tapedeck/core"
import { JobPool } from "@tapedeck/domain/internal/jobs"
import { Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { aDelivery, aResult, aStep, dueAt, failed, instantAfter, startInstant } from "./samples.ts"

const subjectOf = (due: Due): string => {
  return due.kind === "job" ? due.jobId : due.deliveryId
}

const shown = (due: Due | undefined) => (due === undefined ? "nothing" : `${due.kind} of ${subjectOf(due)}`)

const list = (store: Store) =>
  Effect.map(store.agenda.list, (all) => all.map((due) => `${due.at - startInstant} ${shown(due)}`))

/** Causes of agenda entries, each for its own store. */
const causes: Readonly<Record<string, (store: Store) => Effect.Effect<unknown>>> = {
  "a delivery that is made": (store) => store.deliveries.insert(dueAt("b", instantAfter(5))),
  "a job that is added": (store) => store.jobs.enqueue(aStep(1, 5)),
  "a claim, for its lease": (store) => store.deliveries.claim({ limit: 1, leaseMs: 1_000 }),
  "a transaction that does": (store) =>
    store.transaction(Effect.as(store.deliveries.insert(dueAt("b", instantAfter(5))), 1)),
  "a retry": (store) =>
    Effect.flatMap(store.deliveries.claim({ limit: 1, leaseMs: 1_000 }), ([claim]) =>
      store.deliveries.settle(claim!, () => failed(claim!, instantAfter(60_000)))
    )
}

export const agenda = (promised: Promised): void => {
  describe("the agenda", () => {
    promised("is empty at first", ({ store }) =>
      Effect.gen(function* () {
        expect(yield* store.agenda.next(JobPool.literals)).toBeUndefined()
        expect(yield* store.agenda.list).toEqual([])
      })
    )

    promised("lists pending work in the order of its due times; the first is the next", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* store.deliveries.insert(dueAt("z", instantAfter(70)))
        yield* store.jobs.enqueue(aStep(1, 60))
        yield* Effect.forEach(["claimed", "held", "retried", "first"], (id) => store.deliveries.insert(aDelivery(id)))
        yield* store.deliveries.insert(dueAt("y", instantAfter(70)))
        const [, held, retried] = yield* store.deliveries.claim({ limit: 3, leaseMs: 50 })
        yield* store.deliveries.hold(held!, aResult(), instantAfter(40))
        yield* store.deliveries.settle(retried!, () => failed(retried!, instantAfter(70)))
        const whole = [
          "0 attempt of first",
          "40 attempt_end of held",
          "50 lease of claimed",
          `60 job of ${aStep(1, 60).id}`,
          "70 attempt of z",
          "70 attempt of y",
          "70 attempt of retried"
        ]
        expect(yield* list(store)).toEqual(whole)
        expect(shown(yield* store.agenda.next([]))).toBe("attempt of first")
        // What is overdue stays first; nothing happens by itself.
        yield* setTime(instantAfter(1_000))
        expect(yield* list(store)).toEqual(whole)
      })
    )

    promised("no longer lists work that is done", ({ store }) =>
      Effect.gen(function* () {
        yield* store.jobs.enqueue(aStep(1, 0))
        yield* store.deliveries.insert(aDelivery("a"))
        const [job] = yield* store.jobs.claim({ slots: { step: 1 }, leaseMs: 50 })
        yield* store.jobs.finish(job!)
        const [claim] = yield* store.deliveries.claim({ limit: 1, leaseMs: 50 })
        yield* store.deliveries.settle(claim!, () => ({
          ...claim!.delivery,
          state: { _tag: "PermanentlyFailed", at: instantAfter(1) }
        }))
        expect(yield* store.agenda.next(JobPool.literals)).toBeUndefined()
      })
    )

    for (const [cause, happen] of Object.entries(causes)) {
      promised(`wakes all waiting fibers before ${cause}`, ({ store }) =>
        Effect.gen(function* () {
          yield* store.deliveries.insert(aDelivery("a"))
          const seen = String(yield* list(store))
          const nextChange = Effect.forkChild(store.agenda.changed, { startImmediately: true })
          // A store may also wake waiters when it may have missed a change, as after it has connected: then they wait on.
          const wait = Effect.gen(function* () {
            for (let change = yield* nextChange; ; ) {
              yield* Fiber.join(change)
              change = yield* nextChange
              if (String(yield* list(store)) !== seen) return
            }
          })
          const waiters = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(wait, { startImmediately: true }))
          yield* happen(store)
          // A woken waiter finds on the agenda what woke it: one that does not waits for ever.
          yield* Effect.forEach(waiters, Fiber.join)
        })
      )
    }

    promised("wakes a fiber once for one change; a fiber that waits again waits for the next change", ({ store }) =>
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(store.agenda.changed, { startImmediately: true })
        yield* store.deliveries.insert(dueAt("a", instantAfter(1)))
        yield* Fiber.join(first)
        const second = yield* Effect.forkChild(Effect.andThen(store.agenda.changed, store.agenda.list), {
          startImmediately: true
        })
        yield* store.deliveries.insert(dueAt("b", instantAfter(2)))
        expect(yield* Fiber.join(second)).toHaveLength(2)
      })
    )
  })
}
