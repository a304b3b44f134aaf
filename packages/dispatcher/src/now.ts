import type { Instant } from "@tapedeck/domain"
import { Effect } from "effect"

/** Passes the present instant of the fiber's clock to `use`. */
export const withNow = <A>(use: (at: Instant) => Effect.Effect<A>): Effect.Effect<A> =>
  Effect.clockWith((clock) => use(clock.currentTimeMillisUnsafe() as Instant))

export const now: Effect.Effect<Instant> = withNow(Effect.succeed)
