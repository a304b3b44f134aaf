import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { anAccount, anAuditEntry, aRecording, aToken, aUser, instantAfter, startInstant } from "./samples.ts"

export const numbers = (promised: Promised): void => {
  describe("counters", () => {
    promised("count up from 1, for each kind separately", ({ store }) =>
      Effect.gen(function* () {
        const kinds = ["account", "user", "account", "recording", "audit_entry", "account", "user"] as const
        expect(yield* Effect.forEach(kinds, store.nextNumber)).toEqual([1, 1, 2, 1, 1, 3, 2])
      })
    )

    promised("never return a number that is in use", ({ store }) =>
      Effect.gen(function* () {
        yield* store.accounts.save(anAccount(3))
        yield* store.users.save(aUser(11))
        yield* store.users.save(aUser(2))
        yield* store.recordings.save(aRecording(100))
        yield* store.auditEntries.append(anAuditEntry(7))
        const kinds = ["account", "user", "recording", "audit_entry"] as const
        expect(yield* Effect.forEach(kinds, store.nextNumber)).toEqual([4, 12, 101, 8])
      })
    )

    promised("return each number once to many concurrent callers", ({ store }) =>
      Effect.gen(function* () {
        const asked = Array.from({ length: 50 }, () => store.transaction(store.nextNumber("recording")))
        const given = yield* Effect.all(asked, { concurrency: "unbounded" })
        expect(given.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1))
      })
    )
  })
}

export const rateWindows = (promised: Promised): void => {
  describe("rate windows", () => {
    promised("count requests by token until the window ends", ({ store }) =>
      Effect.gen(function* () {
        const [one, two] = [aToken("t1", 11).id, aToken("t2", 11).id]
        const { byToken, count } = store.rateWindows
        expect(yield* byToken(one)).toBeUndefined()
        expect(yield* count(one, startInstant, 10)).toEqual({ startedAt: startInstant, requests: 1 })
        expect(yield* count(two, instantAfter(5), 10)).toEqual({ startedAt: instantAfter(5), requests: 1 })
        expect(yield* count(one, instantAfter(9), 10)).toEqual({ startedAt: startInstant, requests: 2 })
        expect(yield* byToken(one)).toEqual({ startedAt: startInstant, requests: 2 })
        expect(yield* count(one, instantAfter(10), 10)).toEqual({ startedAt: instantAfter(10), requests: 1 })
        // The order of concurrent calls is not that in which they read the clock.
        expect(yield* count(one, instantAfter(9), 10)).toEqual({ startedAt: instantAfter(10), requests: 2 })
        expect(yield* count(one, instantAfter(0), 10)).toEqual({ startedAt: instantAfter(10), requests: 3 })
        expect(yield* byToken(two)).toEqual({ startedAt: instantAfter(5), requests: 1 })
      })
    )

    promised("are replaced when they begin more than a minute, or their length, in the future", ({ store }) =>
      Effect.gen(function* () {
        const [one, two] = [aToken("t1", 11).id, aToken("t2", 11).id]
        const { count } = store.rateWindows
        yield* count(one, instantAfter(20), 10)
        expect(yield* count(one, instantAfter(10), 10)).toEqual({ startedAt: instantAfter(20), requests: 2 })
        expect(yield* count(one, instantAfter(9), 10)).toEqual({ startedAt: instantAfter(9), requests: 1 })
        const lengthMs = 100_000
        const late = instantAfter(lengthMs)
        yield* count(two, late, lengthMs)
        expect(yield* count(two, instantAfter(40_000), lengthMs)).toEqual({ startedAt: late, requests: 2 })
        expect(yield* count(two, instantAfter(39_999), lengthMs)).toEqual({
          startedAt: instantAfter(39_999),
          requests: 1
        })
      })
    )

    promised("count each of 64 concurrent requests", ({ store }) =>
      Effect.gen(function* () {
        const { id } = aToken("t1", 11)
        const counting = Array.from({ length: 64 }, () => store.rateWindows.count(id, startInstant, 10))
        const windows = yield* Effect.all(counting, { concurrency: "unbounded" })
        expect(windows.map(({ requests }) => requests).sort((a, b) => a - b)).toEqual(
          counting.map((_, index) => index + 1)
        )
      })
    )
  })
}
