import { Deferred, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { emptyWorld, makeMemoryStore } from "../../src/index.ts"
import { aFolder } from "../examples.ts"

describe("a transaction that is open while the state is replaced", () => {
  it("changes nothing, nor does one that waits for it, and neither holds up others", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { replace, state, store } = makeMemoryStore(emptyWorld())
        const begun = yield* Deferred.make<void>()
        const gate = yield* Deferred.make<void>()
        const open = yield* Effect.forkChild(
          store.transaction(
            Effect.gen(function* () {
              yield* store.folders.save(aFolder("before"))
              yield* Deferred.succeed(begun, undefined)
              yield* Deferred.await(gate)
              yield* store.folders.save(aFolder("after"))
            })
          )
        )
        yield* Deferred.await(begun)
        const waiting = yield* Effect.forkChild(store.transaction(store.folders.save(aFolder("waiting"))), {
          startImmediately: true
        })
        replace(emptyWorld())
        yield* store.transaction(store.folders.save(aFolder("new")))
        const inNew = store.transaction(
          Effect.andThen(Deferred.succeed(gate, undefined), Effect.andThen(Fiber.join(open), Fiber.join(waiting)))
        )
        yield* Effect.andThen(inNew, store.folders.save(aFolder("last")))
        expect([...state().folders.keys()].toSorted()).toEqual(["last", "new"])
      })
    ))
})
