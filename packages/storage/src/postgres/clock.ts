import type { Instant } from "@tapedeck/domain"
import { Clock, Effect, type Scope } from "effect"
import { onWallClock } from "./connection.ts"

/** How far this machine's clock may have gone astray unnoticed. */
const measuredEvery = "10 seconds"

/** What was found out about the database's clock: how far it is ahead of what this process counts, in milliseconds. */
interface Measured {
  readonly ahead: number
  /** Nobody knows when between the question and the answer the clock was read. */
  readonly uncertainty: number
}

/** Goes on whatever is done to the machine's clock. */
const counted = (): number => performance.now()

const measure = (now: Effect.Effect<Instant>): Effect.Effect<Measured> =>
  Effect.gen(function* () {
    const asked = counted()
    const then = yield* now
    const answered = counted()
    return { ahead: then - (asked + answered) / 2, uncertainty: (answered - asked) / 2 }
  })

/** What goes by an event loop that stands still says little: what is known is kept until it is certainly wrong. */
const isDisproved = (known: Measured, { ahead, uncertainty }: Measured): boolean =>
  Math.abs(ahead - known.ahead) > Math.max(1, uncertainty)

/**
 * A clock that goes by the database's, so that all nodes on it have one time, however their machines' clocks are set: what a
 * node says is due now, is due for every other too. `now` asks the database.
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
      // A database that is gone for a while is told of by whoever needs more of it than its time.
      Effect.ignoreCause,
      Effect.delay(measuredEvery),
      Effect.forever,
      onWallClock,
      Effect.forkScoped
    )
    return new DatabaseClock(() => known.ahead)
  })

const machine = Clock.Clock.defaultValue()

class DatabaseClock implements Clock.Clock {
  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = machine.monotonicTimeNanos
  private readonly ahead: () => number

  constructor(ahead: () => number) {
    this.ahead = ahead
  }

  currentTimeMillisUnsafe(): number {
    return Math.floor(counted() + this.ahead())
  }

  currentTimeNanosUnsafe(): bigint {
    return BigInt(Math.round((counted() + this.ahead()) * 1_000)) * 1_000n
  }

  monotonicTimeNanosUnsafe(): bigint {
    return machine.monotonicTimeNanosUnsafe()
  }

  sleep: Clock.Clock["sleep"] = (duration) => machine.sleep(duration)
}
