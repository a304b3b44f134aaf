import { Cause, Effect } from "effect"
import { StorageFull, StoreBusy, StoreUnavailable } from "../errors.ts"

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

/** The reasons of `SqlError` that say nothing about the statement. Compared by name: this package depends on no database. */
const unavailable: ReadonlySet<unknown> = new Set(["ConnectionError", "StatementTimeoutError"])

const isUnavailable = (defect: unknown): boolean => {
  const { _tag, reason } = (defect ?? {}) as { readonly _tag?: unknown; readonly reason?: { readonly _tag?: unknown } }
  return _tag === "SqlError" && unavailable.has(reason?._tag)
}

/** Returns the failure of a store that is temporarily unable to work; undefined for any other cause. */
export const storeFailureIn = (cause: Cause.Cause<unknown>): StorageFull | StoreBusy | StoreUnavailable | undefined => {
  for (const reason of cause.reasons) {
    if (!Cause.isDieReason(reason)) continue
    if (reason.defect instanceof StorageFull || reason.defect instanceof StoreBusy) return reason.defect
    if (isUnavailable(reason.defect)) return new StoreUnavailable({ cause: reason.defect })
  }
  return undefined
}
