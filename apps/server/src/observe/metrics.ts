import { Effect } from "effect"
import { startMetrics } from "./declaredMetrics.ts"
import { computeProcessMetrics } from "./processMetrics.ts"
import { makeStoreMetrics } from "./storeMetrics.ts"
import { updateTemporaryMetrics } from "./temporaryMetrics.ts"

/**
 * Starts the metrics of this process, as long as the scope lasts. Returns the effect that updates those of the store and the data
 * directory, before the metrics are read.
 */
export const makeMetrics = (temporary: string | null) =>
  Effect.all([startMetrics, computeProcessMetrics]).pipe(
    Effect.andThen(makeStoreMetrics),
    Effect.map(({ update }) => Effect.andThen(update, updateTemporaryMetrics(temporary)))
  )
