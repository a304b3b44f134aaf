import type { Instant } from "@tapedeck/domain"
import { Effect } from "effect"

/** Runs a function with the present instant of `now`, in one step, because hot paths call it thousands of times a second. */
export const withNow = <A, E, R>(f: (now: Instant) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) => f(clock.currentTimeMillisUnsafe() as Instant))

/**
 * The present instant by the clock that drives this store: the wall's in the server, the world's in the emulator. A clock
 * tells instants: they are not checked at each reading.
 */
export const now: Effect.Effect<Instant> = withNow(Effect.succeed)
