import { performance } from "node:perf_hooks" // allow-clock: the wall clock
import { clearWallImmediate, clearWallTimeout, setWallImmediate, setWallTimeout } from "@tapedeck/dispatcher"
import type { Instant } from "@tapedeck/domain"
import { Clock, Context, Duration, Effect, References, Scheduler } from "effect"

// Captured at load time, so that a test's fake timers do not stop the emulator.
const wallNow = performance.now.bind(performance) // allow-clock: the wall clock
const wallOrigin = performance.timeOrigin // allow-clock: the wall clock

const wallMs = () => Math.floor(wallOrigin + wallNow())
const wallNanos = () => BigInt(Math.floor((wallOrigin + wallNow()) * 1_000)) * 1_000n

/** Wall time, for the running mode. Everything else reads the world's clock. */
export const wallClock: Clock.Clock = {
  currentTimeMillisUnsafe: wallMs,
  currentTimeMillis: Effect.sync(wallMs),
  currentTimeNanosUnsafe: wallNanos,
  currentTimeNanos: Effect.sync(wallNanos),
  monotonicTimeNanosUnsafe: wallNanos,
  monotonicTimeNanos: Effect.sync(wallNanos),
  sleep: (duration) =>
    Effect.callback<void>((resume) => {
      const timer = setWallTimeout(() => resume(Effect.void), Duration.toMillis(duration))
      return Effect.sync(() => clearWallTimeout(timer))
    })
}

/** Context of the emulator's fibers: an event loop and a clock that a test's fake timers do not stop, and no spans. */
export const wallTime: Context.Context<never> = Context.make(
  Scheduler.Scheduler,
  new Scheduler.MixedScheduler("async", (task) => {
    const turn = setWallImmediate(task)
    return () => clearWallImmediate(turn)
  })
).pipe(Context.add(Clock.Clock, wallClock), Context.add(References.TracerEnabled, false))

const neverSleeps = Effect.die(new Error("nothing sleeps in virtual time: what happens later is on the agenda"))

/** An Effect clock that reads a world's time. Time does not pass by sleeping: only the agenda moves it. */
export const virtualClock = (read: () => Instant): Clock.Clock => {
  const nanos = () => BigInt(read()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: read,
    currentTimeMillis: Effect.sync(read),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: () => neverSleeps
  }
}
