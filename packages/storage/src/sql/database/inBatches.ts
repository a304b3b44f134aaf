import { Effect } from "effect"

/** Runs a transaction again and again, until it returns that there is no more to do. Others run in between. */
export const inBatches = <E, R>(batch: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.asVoid(Effect.repeat(Effect.tap(batch, Effect.yieldNow), { while: (isMore) => isMore }))
