import { Clock, Effect } from "effect"
import type { World } from "../World.ts"
import { move } from "./move.ts"
import { wallClock } from "./VirtualClock.ts"

/** How long the running mode rests, in wall time, before it looks again. */
const restMs = 20

/** Lets wall time carry the world's time, times `rate`, for as long as the effect runs. */
export const running = (world: World, rate: number): Effect.Effect<never> => {
  // Another move goes first; what is due fires when it is done.
  const turn = Effect.suspend(() => Effect.ignore(move(world, { to: world.clock.carried() })))
  return Effect.sync(() => world.clock.run(rate)).pipe(
    Effect.andThen(Effect.forever(Effect.andThen(turn, Effect.sleep(restMs)))),
    Effect.provideService(Clock.Clock, wallClock)
  )
}
