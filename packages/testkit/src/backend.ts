import type { Store } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { Clock, Effect, type Scope } from "effect"
import { test } from "vitest"
import { startInstant } from "./samples.ts"

/** A store implementation under test. Each test gets its own empty store. */
export interface StoreBackend {
  readonly name: string
  readonly open: Effect.Effect<OpenStore, never, Scope.Scope>
  /** Number of random histories in the comparison with the model. Default: 200. */
  readonly histories?: number
  /** Whether several processes can open the store at the same time, so that opening it ends no lease. Default: false. */
  readonly isShared?: boolean
  /** Whether transactions of one store run at the same time. Default: false, they run one after another. */
  readonly hasParallelTransactions?: boolean
}

export interface OpenStore {
  readonly store: Store
  /** Sets the store's own clock, if it is not Effect's but that of a database. */
  readonly setTime?: (now: Instant) => Effect.Effect<void>
  /** Closes the store, and returns it as the next process opens it. Absent if the store does not outlive its process. */
  readonly reopen?: Effect.Effect<Store>
  /** Access of another process, which a test kills. Absent if tests cannot kill a process with the store. */
  readonly crash?: Crash
}

/** Access of another process to a store. The process is killed during a transaction. */
export interface Crash {
  /** Closes the store until it is opened again. */
  readonly close: Effect.Effect<void>
  /** Module that opens the store at the location in `process.argv[2]`, and runs `dieInTransaction` with it. */
  readonly module: URL
  readonly place: string
}

/** An empty store at `startInstant`, and a function that sets the time. Time does not pass by itself. */
export interface Trial extends OpenStore {
  readonly setTime: (now: Instant) => Effect.Effect<void>
}

/** Requirements of a test in addition to a store. */
type Ability = "crash" | "reopen"

type Body<Abilities extends Ability> = (
  trial: Trial & Required<Pick<OpenStore, Abilities>>
) => Effect.Effect<unknown, never, Scope.Scope>

/**
 * Registers a test of one promise of the port. If the store lacks one of the `abilities` that the test needs, the test is skipped, and its
 * title says so.
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

/** Runs the body with its own store, and with a clock that it sets. */
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

/** Returns a clock that tests set. No suite sleeps: a store that waited for this clock would wait forever. */
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
