import { setImmediate } from "node:timers/promises"
import { Deferred, Effect, Exit, Fiber, Metric, Scope } from "effect"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import { afterAll, expect, test } from "vitest"
import { directory, emptyDatabase, openPostgres, stopPostgres } from "../conformance/postgres.ts"

afterAll(stopPostgres)

test("one of the nodes on a database reports the store's numbers, and another one takes its place when it ends", () =>
  Effect.gen(function* () {
    const database = yield* emptyDatabase
    const open = openPostgres(database.url, yield* directory)
    const first = Scope.makeUnsafe()
    const nodes = [yield* Scope.provide(open, first), yield* open] as const
    const reporters = Effect.forEach(nodes, ({ isReporter }) => isReporter)
    expect(yield* reporters).toEqual([true, false])
    expect(yield* reporters).toEqual([true, false])
    yield* Scope.close(first, Exit.void)
    // PostgreSQL ends the session a moment after the connection.
    while (!(yield* nodes[1].isReporter));
  }).pipe(Effect.scoped, Effect.runPromise))

test("metrics count the pool's connections in use, and what waits for one", () =>
  Effect.gen(function* () {
    const store = yield* openPostgres((yield* emptyDatabase).url, yield* directory)
    const metrics = Effect.map(Effect.context<never>(), (context) => formatUnsafe(context))
    const expectSoon = Effect.fnUntraced(function* (inUse: number, waiting: number) {
      const expected = [`in_use ${inUse}`, "max 4", `waiting ${waiting}`]
      while (!expected.every((line) => shown.some((one) => one.endsWith(line)))) {
        yield* Effect.promise(() => setImmediate())
        shown = (yield* metrics).split("\n").filter((line) => line.startsWith("tapedeck_database_"))
      }
    })
    let shown: ReadonlyArray<string> = []
    yield* expectSoon(0, 0)
    const end = yield* Deferred.make<void>()
    const transaction = Effect.forkChild(store.transaction(Deferred.await(end)))
    const fibers = yield* Effect.all(Array(4).fill(transaction) as Array<typeof transaction>)
    yield* expectSoon(4, 0)
    fibers.push(yield* transaction)
    yield* expectSoon(4, 1)
    yield* Deferred.succeed(end, undefined)
    yield* Fiber.awaitAll(fibers)
    yield* expectSoon(0, 0)
  }).pipe(Effect.scoped, Effect.provideService(Metric.MetricRegistry, new Map()), Effect.runPromise))
