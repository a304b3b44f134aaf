import { Store } from "@tapedeck/core"
import { Clock, Effect, Metric } from "effect"

const deliveries = (state: string) =>
  Metric.gauge("tapedeck_deliveries", {
    description: "Deliveries that have not ended: before their first attempt, before a retry, in flight",
    attributes: { state }
  })

const oldestDue = Metric.gauge("tapedeck_deliveries_oldest_due_seconds", {
  description: "For how long the oldest that is not in flight has been due"
})

const storeUp = Metric.gauge("tapedeck_store_up", {
  description: "Whether the store answered when it was last asked: 1 or 0"
})

const storageFull = Metric.gauge("tapedeck_storage_full", {
  description: "Whether a write found no space, and there is still none: 1 or 0"
})

/** A count is kept for so many times as long as it took: with a million deliveries that wait it is 90 ms. */
const keptFor = 100
const keptAtMostMs = 30_000

/** How much waits, as the store has it, or had it shortly before. */
export const makeQueueMetrics = Effect.map(Store, (store) => {
  let countAgainAt = 0
  return Effect.gen(function* () {
    yield* Metric.update(storageFull, (yield* store.space.isFull) ? 1 : 0)
    const startedAt = performance.now()
    if (startedAt < countAgainAt) return
    const { attempting, nextAt, scheduled, waiting } = yield* store.deliveries.queue
    const now = yield* Clock.currentTimeMillis
    yield* Metric.update(deliveries("scheduled"), scheduled)
    yield* Metric.update(deliveries("waiting"), waiting)
    yield* Metric.update(deliveries("attempting"), attempting)
    yield* Metric.update(oldestDue, nextAt === null ? 0 : Math.max(0, (now - nextAt) / 1000))
    const endedAt = performance.now()
    countAgainAt = endedAt + Math.min(keptAtMostMs, keptFor * (endedAt - startedAt))
    yield* Metric.update(storeUp, 1)
  }).pipe(
    // The process has more to tell than its store: now more than ever.
    Effect.catchCause((cause) =>
      Effect.andThen(Effect.logError("the queue cannot be counted", cause), Metric.update(storeUp, 0))
    )
  )
})
