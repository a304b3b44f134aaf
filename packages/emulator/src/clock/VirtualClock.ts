import type { Instant } from "@tapedeck/domain"
import { Clock, Effect } from "effect"

/** Wall time for what has to happen in it: the running mode. Everything else reads the world's clock. */
export const wallClock: Clock.Clock = Clock.Clock.defaultValue()

const neverSleeps = Effect.die(new Error("nothing sleeps in virtual time: what happens later is on the agenda"))

/** An Effect clock that reads a world's time. Time does not pass by sleeping: the agenda is what moves it. */
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
