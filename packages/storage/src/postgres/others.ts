import { PgConnection, type PgPool } from "@effect/sql-pg"
import { Effect, Latch, Queue } from "effect"
import type { Others } from "../sql/Database.ts"
import { onWallClock } from "./connection.ts"

const channel = "tapedeck_agenda"

/** What is told within so long is told once: a notification in each transaction costs more than the transaction. */
const togetherMs = 20
/** Until a connection that was lost is tried again: meanwhile everybody polls. */
const againMs = 1_000

/**
 * Tells other processes that the agenda changed, once that is committed, and hears it from them (LISTEN, NOTIFY). Nobody
 * relies on it: what is lost costs one interval of polling.
 */
export const makeOthers = Effect.fnUntraced(function* (pool: PgPool.PgPool) {
  const listeners = new Set<() => void>()
  const changed = Latch.makeUnsafe(false)
  const self = Math.random().toString(36).slice(2)
  const wake = Effect.sync(() => {
    for (const listener of listeners) listener()
  })

  const telling = Effect.gen(function* () {
    yield* changed.await
    changed.closeUnsafe()
    yield* Effect.ignore(pool.use((connection) => connection.query("SELECT pg_notify($1, $2)", [channel, self])))
    yield* Effect.sleep(togetherMs)
  })

  const hearing = Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* PgConnection.make(pool.config)
      const heard = yield* connection.listen(channel)
      // Something may have been told while nobody heard.
      yield* wake
      return yield* Effect.forever(
        Effect.flatMap(Queue.take(heard), ({ payload }) => (payload === self ? Effect.void : wake))
      )
    })
  )
  const hearingAgain = Effect.andThen(
    Effect.catchCause(hearing, (cause) => Effect.logDebug("Other processes are not heard for a while", cause)),
    Effect.sleep(againMs)
  )

  yield* Effect.forkScoped(onWallClock(Effect.forever(telling)))
  yield* Effect.forkScoped(onWallClock(Effect.forever(hearingAgain)))
  const others: Others = {
    tell: () => changed.openUnsafe(),
    onTold: (listener) => void listeners.add(listener)
  }
  return others
})
