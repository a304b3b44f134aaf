import { Effect, Exit, Scope } from "effect"
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
