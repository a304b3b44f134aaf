import { Cause, Effect } from "effect"
import { StorageFull, StoreBusy } from "./errors.ts"

/**
 * The effect, or `instead` where the store has no space left for what the effect writes. For what need not be written: reads
 * and refusals go on. Belongs outside the transaction.
 */
export const whenFull = <A, E, R, B, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  instead: Effect.Effect<B, E2, R2>
): Effect.Effect<A | B, E | E2, R | R2> =>
  Effect.catchDefect(
    effect,
    (defect): Effect.Effect<B, E2, R2> => (defect instanceof StorageFull ? instead : Effect.die(defect))
  )

/** What the store died with because it could not write now. */
export const storeFailureIn = (cause: Cause.Cause<unknown>): StorageFull | StoreBusy | undefined => {
  for (const reason of cause.reasons) {
    if (!Cause.isDieReason(reason)) continue
    if (reason.defect instanceof StorageFull || reason.defect instanceof StoreBusy) return reason.defect
  }
  return undefined
}
