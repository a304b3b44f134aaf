import type { AuditEntryFilter, Store } from "@tapedeck/core"
import { UserId } from "@tapedeck/domain"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { anAccount, anAuditEntry, instantAfter } from "./samples.ts"

const acme = anAccount(1).id
const other = anAccount(2).id
const ada = UserId.make(11)

const listed = (store: Store, filter: Partial<AuditEntryFilter> = {}, offset = 0, limit = 100) =>
  Effect.map(store.auditEntries.page({ accountId: acme, ...filter }, { offset, limit }), ({ count, items }) => [
    count,
    ...items.map(({ id }) => Number(id))
  ])

export const auditEntries = (promised: Promised): void => {
  describe("audit entries", () => {
    promised("are read as they were appended", ({ store }) =>
      Effect.gen(function* () {
        const entry = anAuditEntry(1, {
          eventType: "access.denied",
          status: "failure",
          userId: ada,
          ipAddress: "2001:db8::1",
          userAgent: "Ünï/1.0",
          metadata: {
            targetType: "operation",
            targetId: "users.list",
            changes: { deep: { from: [1, { a: null }], to: "🎥" } }
          }
        })
        yield* store.auditEntries.append(entry)
        yield* store.auditEntries.append(anAuditEntry(2))
        expect(yield* store.auditEntries.byId(entry.id)).toEqual(entry)
        expect(yield* store.auditEntries.byId(anAuditEntry(3).id)).toBeUndefined()
        expect(yield* store.auditEntries.page({ accountId: acme }, { offset: 0, limit: 9 })).toEqual({
          count: 2,
          items: [anAuditEntry(2), entry]
        })
      })
    )

    promised("have a time of the newest entry that is not newer than a given instant, over all accounts", ({ store }) =>
      Effect.gen(function* () {
        expect(yield* store.auditEntries.newestUntil(instantAfter(9))).toBeUndefined()
        yield* store.auditEntries.append(anAuditEntry(1, { at: instantAfter(1) }))
        yield* store.auditEntries.append(anAuditEntry(2, { at: instantAfter(5), accountId: other }))
        yield* store.auditEntries.append(anAuditEntry(3, { at: instantAfter(7) }))
        const until = (ms: number) => store.auditEntries.newestUntil(instantAfter(ms))
        expect([yield* until(0), yield* until(1), yield* until(6), yield* until(9)]).toEqual([
          undefined,
          instantAfter(1),
          instantAfter(5),
          instantAfter(7)
        ])
      })
    )

    promised("are listed newest first in order of creation, in slices, for each account separately", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(
          [
            anAuditEntry(1, { at: instantAfter(9) }),
            anAuditEntry(2),
            anAuditEntry(3, { accountId: other }),
            anAuditEntry(10),
            anAuditEntry(100)
          ],
          store.auditEntries.append
        )
        expect(yield* listed(store)).toEqual([4, 100, 10, 2, 1])
        expect(yield* listed(store, {}, 1, 2)).toEqual([4, 10, 2])
        expect(yield* listed(store, {}, 4, 2)).toEqual([4])
        expect(yield* listed(store, { accountId: other })).toEqual([1, 3])
        expect(yield* listed(store, { accountId: anAccount(3).id })).toEqual([0])
      })
    )

    promised("are filtered by what they are about", ({ store }) =>
      Effect.gen(function* () {
        const about = (targetId: string) => ({ metadata: { targetType: "recording", targetId, changes: {} } })
        yield* Effect.forEach(
          [
            anAuditEntry(1, about("a")),
            anAuditEntry(2, about("b")),
            anAuditEntry(3, { ...about("a"), accountId: other }),
            anAuditEntry(4, { ...about("a"), eventType: "recording.deleted" })
          ],
          store.auditEntries.append
        )
        expect(yield* listed(store, { targetId: "a" })).toEqual([2, 4, 1])
        expect(yield* listed(store, { targetId: "a" }, 0, 1)).toEqual([2, 4])
        expect(yield* listed(store, { targetId: "a", eventTypes: ["recording.deleted"] })).toEqual([1, 4])
        expect(yield* listed(store, { targetId: "A" })).toEqual([0])
      })
    )

    promised("are filtered by type, user and time, and by all of these at once", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(
          [
            anAuditEntry(1, { eventType: "user.login", userId: ada, at: instantAfter(10) }),
            anAuditEntry(2, { eventType: "user.login", userId: UserId.make(12), at: instantAfter(20) }),
            anAuditEntry(3, { eventType: "recording.deleted", userId: ada, at: instantAfter(30) }),
            anAuditEntry(4, { eventType: "recording.updated", userId: null, at: instantAfter(30) })
          ],
          store.auditEntries.append
        )
        expect(yield* listed(store, { eventTypes: ["user.login", "recording.updated"] })).toEqual([3, 4, 2, 1])
        expect(yield* listed(store, { eventTypes: ["user.logout"] })).toEqual([0])
        expect(yield* listed(store, { userId: ada })).toEqual([2, 3, 1])
        // From `since` on, and before `until`.
        expect(yield* listed(store, { since: instantAfter(20) })).toEqual([3, 4, 3, 2])
        expect(yield* listed(store, { until: instantAfter(20) })).toEqual([1, 1])
        expect(yield* listed(store, { since: instantAfter(10), until: instantAfter(30) })).toEqual([2, 2, 1])
        expect(
          yield* listed(store, {
            eventTypes: ["user.login"],
            userId: ada,
            since: instantAfter(0),
            until: instantAfter(11)
          })
        ).toEqual([1, 1])
      })
    )

    promised("of a failed transaction do not exist", ({ store }) =>
      Effect.gen(function* () {
        const append = store.auditEntries.append(anAuditEntry(1))
        yield* Effect.exit(store.transaction(Effect.andThen(append, Effect.fail("no"))))
        expect(yield* store.auditEntries.byId(anAuditEntry(1).id)).toBeUndefined()
        expect(yield* listed(store)).toEqual([0])
      })
    )
  })
}
