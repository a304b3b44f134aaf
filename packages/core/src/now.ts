import type { Instant } from "@tapedeck/domain"
import { Clock, Effect } from "effect"

/**
 * The present instant by the clock that drives this store: the wall's in the server, the world's in the emulator. A clock
 * tells instants: they are not checked at each reading.
 */
export const now: Effect.Effect<Instant> = Effect.map(Clock.currentTimeMillis, (ms) => ms as Instant)
