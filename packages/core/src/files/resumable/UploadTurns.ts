import { Deferred, Effect } from "effect"

interface Turn {
  readonly cancel: Deferred.Deferred<void>
  readonly over: Deferred.Deferred<void>
}

/**
 * One request at a time on an upload, of those that this process answers. A new request asks the earlier one to end, because its client
 * may be the same one, which lost the connection.
 */
export class UploadTurns {
  private readonly turns = new Map<string, Turn>()

  /** Runs `work` when the earlier requests have ended. `cancelled` waits for a later request. */
  take<A, E, R>(id: string, work: (cancelled: Effect.Effect<void>) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(this.wait(id, restore), (turn) =>
        restore(work(Deferred.await(turn.cancel))).pipe(
          Effect.ensuring(
            Effect.suspend(() => {
              this.turns.delete(id)
              return Deferred.succeed(turn.over, undefined)
            })
          )
        )
      )
    )
  }

  private wait(
    id: string,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ): Effect.Effect<Turn> {
    return Effect.suspend(() => {
      const before = this.turns.get(id)
      if (before === undefined) {
        const turn = { cancel: Deferred.makeUnsafe<void>(), over: Deferred.makeUnsafe<void>() }
        this.turns.set(id, turn)
        return Effect.succeed(turn)
      }
      const ended = Effect.andThen(Deferred.succeed(before.cancel, undefined), restore(Deferred.await(before.over)))
      return Effect.andThen(ended, this.wait(id, restore))
    })
  }
}
