import { type Cause, Effect, Exit, Random } from "effect"

/** Before the store is asked again, at first and at most. */
const firstPauseMs = 100
const longestPauseMs = 2_000

/** What is over by then, in some seconds, nobody has to hear of. */
const triesUntold = 5

export interface Asking {
  /** How logs name what is to be recorded. */
  readonly name: () => string
  /** Whether it failed for a reason of its own, which asking again would not mend. */
  readonly isVain?: () => boolean
}

/**
 * Asks a store that breaks off again, with growing pauses, for as long as it takes. Only an interruption ends that, at the next
 * pause: it fails then as it did before. To be called where it cannot be interrupted besides.
 */
export const retryStoreCall = <A>(ask: Effect.Effect<A>, asking: Asking): Effect.Effect<A> =>
  Effect.catchCause(ask, (cause) => again(ask, asking, cause))

const again = Effect.fnUntraced(function* <A>(
  ask: Effect.Effect<A>,
  { isVain, name }: Asking,
  first: Cause.Cause<never>
): Effect.fn.Return<A> {
  let cause = first
  for (let tries = 1; !isVain?.(); tries++) {
    if (tries === triesUntold) {
      yield* Effect.logWarning(
        `${name()} waits to be recorded: the store breaks off, and is asked again until it answers`,
        cause
      )
    }
    const pauseMs = Math.min(firstPauseMs * 2 ** (tries - 1), longestPauseMs)
    // Not all at the same time: what fails for a reason of its own is not to take others with it for ever.
    const pause = Effect.sleep(yield* Random.nextIntBetween(pauseMs / 2, pauseMs))
    if (Exit.isFailure(yield* Effect.exit(Effect.interruptible(pause)))) {
      yield* Effect.logError(
        `${name()} is not recorded: the store breaks off, and its time is over; its lease will end`,
        cause
      )
      break
    }
    const exit = yield* Effect.exit(ask)
    if (Exit.isSuccess(exit)) return exit.value
    cause = exit.cause
  }
  return yield* Effect.failCause(cause)
})
