import { Effect, Exit } from "effect"

const pauseMs = 1_000

/**
 * Retries a store call that fails each second, up to `maxRetries` times, and logs the first failure with
 * `fields`. Interruptible in the pauses.
 */
export const retryStoreCall = Effect.fnUntraced(function* <A, R>(
  call: Effect.Effect<A, never, R>,
  fields: Readonly<Record<string, unknown>>,
  maxRetries = Number.POSITIVE_INFINITY
): Effect.fn.Return<A, never, R> {
  for (let retries = 0; ; retries++) {
    const exit = yield* Effect.exit(call)
    if (Exit.isSuccess(exit)) return exit.value
    if (retries === maxRetries) return yield* exit
    if (retries === 0) yield* Effect.logWarning("store call failed; retrying", fields, exit.cause)
    yield* Effect.sleep(pauseMs)
  }
})
