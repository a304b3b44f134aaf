import type { Instant } from "@tapedeck/domain"
import { Clock, Effect, type Scope } from "effect"
import { onWallClock } from "./connection.ts"

/** Interval of measurements: limits how long a drift of this machine's clock goes unnoticed. */
const measureInterval = "10 seconds"

/** The offset of the database's clock from this process' monotonic time, in milliseconds. */
interface Measured {
  readonly offset: number
  /** Half of the round trip, in milliseconds: the clock was read at an unknown time between request and response. */
  readonly uncertainty: number
}

/** Independent of changes to the machine's clock. */
const monotonicMs = (): number => performance.now()

const measure = (now: Effect.Effect<Instant>): Effect.Effect<Measured> =>
  Effect.gen(function* () {
    const sentAt = monotonicMs()
    const then = yield* now
    const receivedAt = monotonicMs()
    return { offset: then - (sentAt + receivedAt) / 2, uncertainty: (receivedAt - sentAt) / 2 }
  })

/** A measurement during a blocked event loop is inexact: the known offset is kept until it is certainly wrong. */
const isDisproved = (known: Measured, { offset, uncertainty }: Measured): boolean =>
  Math.abs(offset - known.offset) > Math.max(1, uncertainty)

/**
 * A clock that follows the database's, so that all nodes have the same time, however their machines' clocks are set. `now` reads
 * the database's clock.
 */
export const databaseClock = (now: Effect.Effect<Instant>): Effect.Effect<Clock.Clock, never, Scope.Scope> =>
  Effect.gen(function* () {
    let known = yield* measure(now)
    yield* measure(now).pipe(
      Effect.tap((found) =>
        Effect.sync(() => {
          if (found.uncertainty < known.uncertainty || isDisproved(known, found)) known = found
        })
      ),
      // Other statements report that the database is unavailable.
      Effect.ignoreCause,
      Effect.delay(measureInterval),
      Effect.forever,
      onWallClock,
      Effect.forkScoped
    )
    return new DatabaseClock(() => known.offset)
  })

const machine = Clock.Clock.defaultValue()

class DatabaseClock implements Clock.Clock {
  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = machine.monotonicTimeNanos
  private readonly offset: () => number

  constructor(offset: () => number) {
    this.offset = offset
  }

  currentTimeMillisUnsafe(): number {
    return Math.floor(monotonicMs() + this.offset())
  }

  currentTimeNanosUnsafe(): bigint {
    return BigInt(Math.round((monotonicMs() + this.offset()) * 1_000)) * 1_000n
  }

  monotonicTimeNanosUnsafe(): bigint {
    return machine.monotonicTimeNanosUnsafe()
  }

  sleep: Clock.Clock["sleep"] = (duration) => machine.sleep(duration)
}
