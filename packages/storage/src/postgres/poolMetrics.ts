import type { PgPool } from "@effect/sql-pg"
import { computeSeries } from "@tapedeck/core"
import { Effect } from "effect"
import { connectionsInUse, maxConnections, waitingForConnection } from "../metrics.ts"

/** Returns the pool, and counts in metrics its connections in use, and what waits for one. */
export const watchPool = Effect.fnUntraced(function* (pool: PgPool.PgPool) {
  let inUse = 0
  let waiting = 0
  yield* computeSeries(connectionsInUse.of({}), () => ({ value: inUse }))
  yield* computeSeries(waitingForConnection.of({}), () => ({ value: waiting }))
  yield* computeSeries(maxConnections.of({}), () => ({ value: pool.config.maxConnections ?? 0 }))
  const release = () => {
    inUse -= 1
  }

  const use: PgPool.PgPool["use"] = (statement) =>
    Effect.suspend(() => {
      let isWaiting = true
      waiting += 1
      return Effect.ensuring(
        pool.use((connection) => {
          isWaiting = false
          waiting -= 1
          inUse += 1
          return statement(connection)
        }),
        Effect.sync(() => {
          if (isWaiting) waiting -= 1
          else release()
        })
      )
    })

  const checkOut = (connection: PgPool.PgPool["get"]): PgPool.PgPool["get"] =>
    Effect.suspend(() => {
      waiting += 1
      const checkedOut = Effect.ensuring(
        connection,
        Effect.sync(() => {
          waiting -= 1
        })
      )
      const counted = Effect.map(checkedOut, (session) => {
        inUse += 1
        return session
      })
      return Effect.acquireRelease(counted, () => Effect.sync(release), { interruptible: true })
    })

  return { ...pool, use, get: checkOut(pool.get), reserve: checkOut(pool.reserve) } satisfies PgPool.PgPool
})
