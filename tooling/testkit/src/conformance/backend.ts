import type { Store } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { Clock, Effect, type Scope } from "effect"
import { test } from "vitest"
import { startInstant } from "./samples.ts"

/** A way to make an empty store. Each test has one of its own. */
export interface StoreBackend {
  readonly name: string
  readonly open: Effect.Effect<OpenStore, never, Scope.Scope>
  /** How many random histories the comparison with the model takes; 200 where nothing is said. */
  readonly histories?: number
}

export interface OpenStore {
  readonly store: Store
  /** Where the store's own clock is not Effect's (a database's): from now on it shows this instant. */
  readonly setTime?: (now: Instant) => Effect.Effect<void>
  /** Where a store outlives its process: closes it, and gives it as the next process finds it. */
  readonly reopen?: Effect.Effect<Store>
}

/** An empty store, at `startInstant`, and what time it is to be. Time stands still in between. */
export interface Trial {
  readonly store: Store
  readonly setTime: (now: Instant) => Effect.Effect<void>
  /** Gives the store after a restart; null where a store does not outlive its process. */
  readonly restart: Effect.Effect<Store> | null
}

/** Registers a test: one promise of the port. */
export type Promised = (sentence: string, body: (trial: Trial) => Effect.Effect<unknown, never, Scope.Scope>) => void

export const promisesOf =
  (backend: StoreBackend): Promised =>
  (sentence, body) =>
    test(sentence, () => Effect.runPromise(onTrial(backend, body)))

/** Gives the body a store of its own and a clock that it sets. */
export const onTrial = <A, E>(
  backend: StoreBackend,
  body: (trial: Trial) => Effect.Effect<A, E, Scope.Scope>
): Effect.Effect<A, E> => {
  const clock = settableClock(startInstant)
  const trial = Effect.gen(function* () {
    const { reopen, setTime, store } = yield* backend.open
    const moveTo = (now: Instant) =>
      Effect.suspend(() => {
        clock.set(now)
        return setTime?.(now) ?? Effect.void
      })
    yield* moveTo(startInstant)
    return yield* body({ store, setTime: moveTo, restart: reopen ?? null })
  })
  return Effect.scoped(trial).pipe(Effect.provideService(Clock.Clock, clock.clock))
}

/** No suite sleeps: a store that waited for this clock would wait for ever. */
const settableClock = (start: Instant) => {
  let now = start
  const nanos = () => BigInt(now) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: () => Effect.never
  }
  return {
    clock,
    set: (to: Instant) => {
      now = to
    }
  }
}
