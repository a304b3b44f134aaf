import { storeOf } from "@tapedeck/core"
import { Clock, Effect, Metric } from "effect"

const deliveries = (state: string) =>
  Metric.gauge("tapedeck_deliveries", {
    description: "Deliveries that have not ended: before their first attempt, before a retry, in flight",
    attributes: { state }
  })

const oldestDue = Metric.gauge("tapedeck_deliveries_oldest_due_seconds", {
  description: "Age of the oldest due delivery that is not in flight"
})

const storeUp = Metric.gauge("tapedeck_store_up", {
  description: "Whether the store responded to the last request: 1 or 0"
})

const storageFull = Metric.gauge("tapedeck_storage_full", {
  description: "Whether the store has no space for writes: 1 or 0"
})

/** Time for which a count is reused, as a multiple of its own duration. A count of a million waiting deliveries lasts 90 ms. */
const keptFor = 100
const keptAtMostMs = 30_000

/** The size of the queue, at most slightly out of date. */
export const makeQueueMetrics = Effect.map(storeOf("deliveries", "space"), (store) => {
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
    // Other metrics are served even if the store fails.
    Effect.catchCause((cause) =>
      Effect.andThen(Effect.logError("queue could not be counted", cause), Metric.update(storeUp, 0))
    )
  )
})
