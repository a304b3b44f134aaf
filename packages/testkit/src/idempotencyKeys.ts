import type { StoredResponse } from "@tapedeck/core"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { instantAfter } from "./samples.ts"

const kept = (id: string, known: Partial<StoredResponse> = {}): StoredResponse => ({
  id,
  caller: "11 access",
  sealed: `answer of ${id} 🎥`,
  expiresAt: instantAfter(1_000),
  ...known
})

/** Returns the ids of the stored answers. */
const storedIds = (store: Parameters<Parameters<Promised>[1]>[0]["store"], answers: ReadonlyArray<StoredResponse>) =>
  Effect.map(
    Effect.forEach(answers, ({ id }) => store.idempotencyKeys.byId(id)),
    (rows) => rows.flatMap((row) => row?.id ?? [])
  )

export const idempotencyKeys = (promised: Promised): void => {
  describe("stored answers of idempotency keys", () => {
    promised("are found by their id, the last saved one, expired or not", ({ setTime, store }) =>
      Effect.gen(function* () {
        const { byId, save } = store.idempotencyKeys
        expect(yield* byId("a1")).toBeUndefined()
        yield* save(kept("a1"))
        yield* save(kept("b2", { sealed: "another" }))
        yield* save(kept("a1", { sealed: "again", expiresAt: instantAfter(5) }))
        yield* setTime(instantAfter(6))
        expect(yield* byId("a1")).toEqual(kept("a1", { sealed: "again", expiresAt: instantAfter(5) }))
        expect(yield* byId("b2")).toEqual(kept("b2", { sealed: "another" }))
      })
    )

    promised("are committed with their transaction's writes, or not at all", ({ store }) =>
      Effect.gen(function* () {
        const { byId, lock, save } = store.idempotencyKeys
        const written = (id: string) =>
          Effect.gen(function* () {
            expect(yield* lock(id)).toBe(true)
            yield* save(kept(id))
            return yield* store.nextNumber("account")
          })
        yield* store.transaction(written("a1"))
        yield* Effect.exit(store.transaction(Effect.andThen(written("b2"), Effect.fail("refused"))))
        expect(yield* byId("a1")).toEqual(kept("a1"))
        expect(yield* byId("b2")).toBeUndefined()
        // The lock ends with its transaction, whatever its end.
        yield* store.transaction(Effect.andThen(written("a1"), written("b2")))
      })
    )

    promised("are pruned when they have expired, 100 at a time, the earliest first", ({ store }) =>
      Effect.gen(function* () {
        const { prune, save } = store.idempotencyKeys
        const answers = Array.from({ length: 102 }, (_, index) =>
          kept(`a${index}`, { expiresAt: instantAfter(1_000 - index), caller: `${index} access` })
        )
        yield* Effect.forEach(answers, save)
        const pruned = { now: instantAfter(999), caller: "none", maxPerCaller: 10 }
        yield* prune(pruned)
        expect(yield* storedIds(store, answers)).toEqual(["a0", "a1"])
        yield* prune(pruned)
        expect(yield* storedIds(store, answers)).toEqual(["a0"])
      })
    )

    promised("are pruned beyond a caller's maximum, 100 at a time, and the last saved ones stay", ({ store }) =>
      Effect.gen(function* () {
        const { prune, save } = store.idempotencyKeys
        const theirs = Array.from({ length: 4 }, (_, index) => kept(`t${index}`, { caller: "12 access" }))
        const answers = Array.from({ length: 104 }, (_, index) => kept(`a${index}`))
        yield* Effect.forEach([...theirs, ...answers], save)
        yield* save(answers[0]!)
        const pruned = { now: instantAfter(0), caller: "11 access", maxPerCaller: 103 }
        yield* prune({ ...pruned, maxPerCaller: 104 })
        expect(yield* storedIds(store, answers)).toHaveLength(104)
        yield* prune(pruned)
        expect(yield* store.idempotencyKeys.byId("a1")).toBeUndefined()
        expect(yield* storedIds(store, answers)).toHaveLength(103)
        yield* prune({ ...pruned, maxPerCaller: 2 })
        expect(yield* storedIds(store, answers)).toEqual(["a0", "a2", "a103"])
        yield* prune({ ...pruned, maxPerCaller: 2 })
        expect(yield* storedIds(store, answers)).toEqual(["a0", "a103"])
        expect(yield* storedIds(store, theirs)).toHaveLength(4)
      })
    )

    promised(
      "are kept over a restart",
      ({ reopen, store }) =>
        Effect.gen(function* () {
          yield* store.idempotencyKeys.save(kept("a1"))
          const next = yield* reopen
          expect(yield* next.idempotencyKeys.byId("a1")).toEqual(kept("a1"))
        }),
      "reopen"
    )
  })
}
