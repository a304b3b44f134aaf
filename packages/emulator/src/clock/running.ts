import type { Instant } from "@tapedeck/domain"
import { Clock, Effect, Fiber } from "effect"
import { carriedInstant, type World } from "../World.ts"
import { defaultMaxEvents, move } from "./move.ts"
import { wallClock } from "./VirtualClock.ts"

/** How long the running mode rests, in wall time, before it looks again. */
const restMs = 20

/** Lets wall time carry the world's time, times `rate`, until the fiber is interrupted. */
export const running = (world: World, rate: number): Effect.Effect<never> => {
  const turn = Effect.suspend(() => {
    if (world.mode.mode !== "running" || world.moving) return Effect.void
    return Effect.ignore(
      move(world, { to: Math.max(world.now(), carriedInstant(world.mode)) as Instant }, defaultMaxEvents)
    )
  })
  return Effect.suspend(() => {
    world.mode = {
      mode: "running",
      rate,
      sinceWallMs: wallClock.currentTimeMillisUnsafe(),
      sinceNow: world.now()
    }
    return Effect.forever(Effect.andThen(turn, Effect.sleep(restMs)))
  }).pipe(Effect.provideService(Clock.Clock, wallClock))
}

/** Stops the clock where it is. */
export const stop = (world: World, fiber: Fiber.Fiber<never>) =>
  Effect.andThen(
    Fiber.interrupt(fiber),
    Effect.sync(() => {
      world.setNow(world.now())
      world.mode = { mode: "stopped" }
    })
  )
