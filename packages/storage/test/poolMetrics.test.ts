import type { PgPool } from "@effect/sql-pg"
import { Deferred, Effect, Fiber, Metric, Semaphore } from "effect"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import { expect, test } from "vitest"
import { watchPool } from "../src/postgres/poolMetrics.ts"

/** A pool of one connection. */
const onePool = Effect.map(Semaphore.make(1), (free): Pick<PgPool.PgPool, "config" | "get" | "reserve" | "use"> => {
  const connection = {} as never
  const get = Effect.acquireRelease(Effect.as(free.take(1), connection), () => free.release(1), { interruptible: true })
  return {
    config: { maxConnections: 1 } as PgPool.PgPool["config"],
    get,
    reserve: get,
    use: (statement) => free.withPermits(1)(Effect.suspend(() => statement(connection)))
  }
})

test("metrics count the connections of a pool in use, and what waits for one, also if it is interrupted", () =>
  Effect.gen(function* () {
    const pool = yield* watchPool((yield* onePool) as PgPool.PgPool)
    const shown = Effect.map(Effect.context<never>(), (context) =>
      Object.fromEntries(
        [...formatUnsafe(context).matchAll(/^tapedeck_database_\w*?(in_use|max|waiting) (\d+)$/gm)].map(
          ([, name, value]) => [name, Number(value)]
        )
      )
    )
    expect(yield* shown).toEqual({ in_use: 0, max: 1, waiting: 0 })
    const end = yield* Deferred.make<void>()
    const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })
    const first = yield* started(Effect.scoped(Effect.andThen(pool.get, Deferred.await(end))))
    const second = yield* started(pool.use(() => Effect.void))
    const third = yield* started(Effect.scoped(pool.reserve))
    expect(yield* shown).toEqual({ in_use: 1, max: 1, waiting: 2 })
    yield* Fiber.interrupt(third)
    expect(yield* shown).toEqual({ in_use: 1, max: 1, waiting: 1 })
    yield* Deferred.succeed(end, undefined)
    yield* Fiber.awaitAll([first, second])
    expect(yield* shown).toEqual({ in_use: 0, max: 1, waiting: 0 })
  }).pipe(Effect.scoped, Effect.provideService(Metric.MetricRegistry, new Map()), Effect.runPromise))
