import { RedeliveryId, UserId } from "@tapedeck/domain"
import type { Redelivery } from "@tapedeck/domain/internal/delivery"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { anAccount, instantAfter } from "./samples.ts"

const aRedelivery = (id: string, known: Partial<Redelivery> = {}): Redelivery => ({
  id: RedeliveryId.make(id),
  accountId: anAccount(1).id,
  userId: UserId.make(1),
  createdAt: instantAfter(0),
  filter: { state: "PermanentlyFailed", since: instantAfter(0) },
  limit: 100,
  rate: 10,
  count: 5,
  isExact: true,
  place: 7,
  redelivered: 0,
  skipped: 0,
  state: { _tag: "Running", dueAt: instantAfter(0) },
  ...known
})

export const redeliveries = (promised: Promised): void => {
  describe("redeliveries", () => {
    promised("are listed by account, newest first, until they are removed", ({ store }) =>
      Effect.gen(function* () {
        const { byId, ofAccount, remove, save } = store.redeliveries
        const theirs = aRedelivery("d", { accountId: anAccount(2).id })
        yield* Effect.forEach([aRedelivery("b"), aRedelivery("a"), theirs], save)
        yield* save(aRedelivery("b", { redelivered: 1 }))
        expect((yield* ofAccount(anAccount(1).id)).map(({ id }) => id)).toEqual(["a", "b"])
        expect(yield* byId(RedeliveryId.make("b"))).toEqual(aRedelivery("b", { redelivered: 1 }))
        yield* remove(RedeliveryId.make("b"))
        expect(yield* byId(RedeliveryId.make("b"))).toBeUndefined()
      })
    )

    promised("of a failed transaction do not exist", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.exit(
          store.transaction(Effect.andThen(store.redeliveries.save(aRedelivery("a")), Effect.fail("no")))
        )
        expect(yield* store.redeliveries.byId(RedeliveryId.make("a"))).toBeUndefined()
      })
    )
  })
}
