import { Store } from "@tapedeck/core"
import { Clock, Effect, Metric } from "effect"

const deliveries = (state: string) =>
  Metric.gauge("tapedeck_deliveries", {
    description: "Deliveries that have not ended: before their first attempt, before a retry, in hand",
    attributes: { state }
  })

const oldestDue = Metric.gauge("tapedeck_deliveries_oldest_due_seconds", {
  description: "For how long the first of those in nobody's hands has been due"
})

/** How much waits, as the store has it. */
export const queueMetrics = Effect.gen(function* () {
  const store = yield* Store
  const { attempting, nextAt, scheduled, waiting } = yield* store.deliveries.queue
  const now = yield* Clock.currentTimeMillis
  yield* Metric.update(deliveries("scheduled"), scheduled)
  yield* Metric.update(deliveries("waiting"), waiting)
  yield* Metric.update(deliveries("attempting"), attempting)
  yield* Metric.update(oldestDue, nextAt === null ? 0 : Math.max(0, (now - nextAt) / 1000))
})
