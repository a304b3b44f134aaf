import { type Cause, Effect, Exit, Random } from "effect"

/** Minimum and maximum pause before a retry, in milliseconds. The pause doubles with each retry. */
const minPauseMs = 100
const maxPauseMs = 2_000

/** Number of failed tries, which take some seconds, before the failure is logged. */
const triesBeforeLog = 5

export interface QueueCallOptions {
  /** Returns the fields for logs that identify the data to record. */
  readonly fields: () => Readonly<Record<string, unknown>>
  /** Returns whether the call failed for its own reason, so that retries cannot succeed. */
  readonly isVain?: () => boolean
}

/**
 * Retries a failed call of the queue with growing pauses until it succeeds. Only an interruption stops the retries, at the next pause; the
 * call then fails with its last cause. For uninterruptible regions.
 */
export const retryQueueCall = <A>(call: Effect.Effect<A>, options: QueueCallOptions): Effect.Effect<A> =>
  Effect.catchCause(call, (cause) => retry(call, options, cause))

const retry = Effect.fnUntraced(function* <A>(
  call: Effect.Effect<A>,
  { fields, isVain }: QueueCallOptions,
  first: Cause.Cause<never>
): Effect.fn.Return<A> {
  let cause = first
  for (let tries = 1; !isVain?.(); tries++) {
    if (tries === triesBeforeLog) {
      yield* Effect.logWarning(
        "attempt waits to be recorded: store call failed; retrying until the store answers",
        fields(),
        cause
      )
    }
    const pauseMs = Math.min(minPauseMs * 2 ** (tries - 1), maxPauseMs)
    // The pause has jitter, so that calls in one batch do not fail together forever.
    const pause = Effect.sleep(yield* Random.nextIntBetween(pauseMs / 2, pauseMs))
    if (Exit.isFailure(yield* Effect.exit(Effect.interruptible(pause)))) {
      yield* Effect.logError(
        "attempt is not recorded: store call failed, and the grace period is over; its lease will end",
        fields(),
        cause
      )
      break
    }
    const exit = yield* Effect.exit(call)
    if (Exit.isSuccess(exit)) return exit.value
    cause = exit.cause
  }
  return yield* Effect.failCause(cause)
})
