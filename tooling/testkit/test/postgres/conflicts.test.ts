import { Effect } from "effect"
import { afterAll, expect, test } from "vitest"
import { after } from "../../src/conformance/samples.ts"
import { stopPostgres } from "../conformance/postgres.ts"
import { twoNodes } from "./nodes.ts"

afterAll(stopPostgres)

/** Outside the transaction of the fiber that calls it. */
const runOutside = (effect: Effect.Effect<void>) => Effect.runPromise(effect)

test("a transaction that shorter ones beat again and again commits, because new ones wait for it", async () => {
  const program = Effect.gen(function* () {
    const { nodes } = yield* twoNodes
    const [store] = nodes
    const key = "contended"
    const increase = (meanwhile: Effect.Effect<unknown>) =>
      store.transaction(
        Effect.gen(function* () {
          const before = yield* store.tryWindows.byKey(key)
          yield* meanwhile
          yield* store.tryWindows.save({ key, tries: (before?.tries ?? 0) + 1, endsAt: after(1_000) })
        })
      )
    yield* increase(Effect.void)
    const others: Array<Promise<void>> = []
    const beginShort = Effect.suspend(() => {
      const short = runOutside(increase(Effect.void))
      others.push(short)
      // One that has to wait is not waited for.
      return Effect.timeoutOption(
        Effect.promise(() => short),
        "200 millis"
      )
    })
    yield* increase(beginShort)
    yield* Effect.promise(() => Promise.all(others))
    expect(others.length).toBeLessThan(10)
    expect(yield* store.tryWindows.byKey(key)).toMatchObject({ tries: others.length + 2 })
  })
  await Effect.runPromise(Effect.scoped(program))
})
