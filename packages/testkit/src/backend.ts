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
  /** Several processes may have the store at the same time: opening it ends no lease. */
  readonly isShared?: boolean
}

export interface OpenStore {
  readonly store: Store
  /** Where the store's own clock is not Effect's (a database's): from now on it shows this instant. */
  readonly setTime?: (now: Instant) => Effect.Effect<void>
  /** Where a store outlives its process: closes it, and returns it as the next process finds it. */
  readonly reopen?: Effect.Effect<Store>
  /** Where a test may kill a process that has the store. */
  readonly crash?: Crash
}

/** How another process gets a store, in the middle of whose transaction it is killed. */
export interface Crash {
  /** Closes the store, until it is opened again. */
  readonly close: Effect.Effect<void>
  /** A module that opens the store at the place in `process.argv[2]`, and runs `dieInTransaction` with it. */
  readonly module: URL
  readonly place: string
}

/** An empty store, at `startInstant`, and what time it is to be. Time stands still in between. */
export interface Trial extends OpenStore {
  readonly setTime: (now: Instant) => Effect.Effect<void>
}

/** What the promise of a test needs besides a store. */
type Ability = "crash" | "reopen"

type Body<Abilities extends Ability> = (
  trial: Trial & Required<Pick<OpenStore, Abilities>>
) => Effect.Effect<unknown, never, Scope.Scope>

/**
 * Registers a test: one promise of the port. Where the store lacks one of the `abilities` that the test needs, the promise stays
 * untested: the test is skipped, and says so.
 */
export type Promised = <const Abilities extends Ability = never>(
  sentence: string,
  body: Body<Abilities>,
  ...abilities: ReadonlyArray<Abilities>
) => void

export const promisesOf =
  (backend: StoreBackend): Promised =>
  (sentence, body, ...abilities) =>
    test(sentence, async ({ skip }) => {
      const lacking = await Effect.runPromise(
        onTrial(backend, (trial) => {
          const missing = abilities.filter((ability) => trial[ability] === undefined)
          return missing.length > 0 ? Effect.succeed(missing) : Effect.as(body(trial as never), [])
        })
      )
      if (lacking.length > 0) skip(`untested: the store is given without ${lacking.join(" and ")}`)
    })

/** Gives the body a store of its own and a clock that it sets. */
export const onTrial = <A, E>(
  backend: StoreBackend,
  body: (trial: Trial) => Effect.Effect<A, E, Scope.Scope>
): Effect.Effect<A, E> => {
  const clock = settableClock(startInstant)
  const trial = Effect.gen(function* () {
    const opened = yield* backend.open
    const moveTo = (now: Instant) =>
      Effect.suspend(() => {
        clock.set(now)
        return opened.setTime?.(now) ?? Effect.void
      })
    yield* moveTo(startInstant)
    return yield* body({ ...opened, setTime: moveTo })
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
