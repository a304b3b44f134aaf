import { Effect, Exit, Pull, type Scope, Stream } from "effect"

/** Returns a stream whose first piece has been read: unreadable content fails here, before any of it is used. */
export const openedStream = <A>(stream: Stream.Stream<A>): Effect.Effect<Stream.Stream<A>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const pull = yield* Stream.toPull(stream)
    const first = yield* Effect.exit(pull)
    if (Exit.isFailure(first) && !Pull.isDoneCause(first.cause)) return yield* Effect.die(first.cause)
    let isFirst = true
    return Stream.fromPull(
      Effect.succeed(
        Effect.suspend(() => {
          if (!isFirst) return pull
          isFirst = false
          return first
        })
      )
    )
  })
