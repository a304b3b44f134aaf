import { Store } from "@tapedeck/core"
import { Clock, Effect, Metric } from "effect"

const oldestDue = Metric.gauge("tapedeck_deliveries_oldest_due_seconds", {
  description: "How long the delivery that has been due for longest has waited"
})

/** How much waits, as the store has it. */
export const queueMetrics = Effect.gen(function* () {
  const { agenda } = yield* Store
  const next = yield* agenda.next
  const now = yield* Clock.currentTimeMillis
  yield* Metric.update(oldestDue, next === undefined ? 0 : Math.max(0, (now - next.at) / 1000))
})
