import { RedeliveryId, UserId } from "@tapedeck/domain"
import type { Redelivery } from "@tapedeck/domain/internal/delivery"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { anAccount, dueAt, instantAfter, uuidOf } from "./samples.ts"

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

const running = (ms: number) => ({ state: { _tag: "Running", dueAt: instantAfter(ms) } }) as const

export const redeliveries = (promised: Promised): void => {
  describe("redeliveries", () => {
    promised(
      "are due in order of due time, first in first out on ties, and not after their end",
      ({ setTime, store }) =>
        Effect.gen(function* () {
          const { due, save } = store.redeliveries
          const [first, second, third] = [
            aRedelivery("c", running(20)),
            aRedelivery("a", running(10)),
            aRedelivery("b", running(10))
          ]
          yield* Effect.forEach([first, second, third], save)
          yield* setTime(instantAfter(9))
          expect(yield* due).toBeUndefined()
          yield* setTime(instantAfter(20))
          expect(yield* due).toEqual(second)
          yield* save({ ...second, place: 3, redelivered: 4, ...running(30) })
          expect(yield* due).toEqual(third)
          yield* save({ ...third, state: { _tag: "Stopped", at: instantAfter(20), reason: "requested" } })
          expect(yield* due).toEqual(first)
          yield* save({ ...first, state: { _tag: "Finished", at: instantAfter(20) } })
          expect(yield* due).toBeUndefined()
          yield* setTime(instantAfter(30))
          expect(yield* due).toMatchObject({ id: "a", place: 3, redelivered: 4 })
        })
    )

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
        expect((yield* store.agenda.list).map((entry) => "redeliveryId" in entry && entry.redeliveryId)).toEqual([
          "a",
          "d"
        ])
      })
    )

    promised("are listed on the agenda once each, among other work", ({ store }) =>
      Effect.gen(function* () {
        yield* store.redeliveries.save(aRedelivery("a", running(20)))
        yield* store.deliveries.insert(dueAt("z", instantAfter(15)))
        yield* store.transcriptSteps.add({ recordingUuid: uuidOf(1), at: instantAfter(12), status: "ready" })
        yield* store.redeliveries.save(aRedelivery("a", running(10)))
        expect((yield* store.agenda.list).map(({ at, kind }) => [at, kind])).toEqual([
          [instantAfter(10), "redelivery"],
          [instantAfter(12), "transcript"],
          [instantAfter(15), "attempt"]
        ])
        expect(yield* store.agenda.next).toEqual({ kind: "redelivery", at: instantAfter(10), redeliveryId: "a" })
      })
    )

    promised("of a failed transaction do not exist", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.exit(
          store.transaction(Effect.andThen(store.redeliveries.save(aRedelivery("a")), Effect.fail("no")))
        )
        expect(yield* store.redeliveries.due).toBeUndefined()
        expect(yield* store.agenda.list).toEqual([])
      })
    )
  })
}
