import type { Store } from "@tapedeck/core"
import { AuditEntryId } from "@tapedeck/domain"
import type { AuditCheckpoint, AuditEntry, AuditSeal } from "@tapedeck/domain/audit"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { anAccount, anAuditEntry, instantAfter } from "./samples.ts"

const acme = anAccount(1).id
const other = anAccount(2).id
const idOf = (id: number) => AuditEntryId.make(id)

const sealOf = (accountId: AuditSeal["accountId"], seq: number, entryId: number): AuditSeal => ({
  accountId,
  seq,
  entryId: idOf(entryId),
  sealedAt: instantAfter(seq),
  link: `link ${accountId}.${seq}`
})

const checkpointOf = ({ accountId, entryId, link, seq }: AuditSeal): AuditCheckpoint => ({
  accountId,
  seq,
  entryId,
  link,
  lastAt: instantAfter(seq),
  prunedAt: instantAfter(9_000),
  signature: `signature ${seq}`
})

const append = (store: Store, ...entries: ReadonlyArray<AuditEntry>) =>
  Effect.forEach(entries, store.auditEntries.append)

const add = (store: Store, ...seals: ReadonlyArray<AuditSeal>) => Effect.forEach(seals, store.auditSeals.add)

export const auditSeals = (promised: Promised): void => {
  describe("the chains of the audit log", () => {
    promised("are empty at first", ({ store: { auditSeals: seals } }) =>
      Effect.gen(function* () {
        expect(yield* seals.chainKey).toBeUndefined()
        expect(yield* seals.lastSealed).toBe(0)
        expect(yield* seals.nextAccount(0)).toBeUndefined()
        expect(yield* seals.head(acme)).toBeUndefined()
        expect(yield* seals.checkpoint(acme)).toBeUndefined()
        expect(yield* seals.next(10)).toEqual([])
        expect(yield* seals.oldestUnlinkedAt).toBeUndefined()
        expect(yield* seals.after(acme, 0, 10)).toEqual([])
        expect(yield* seals.unlinked(acme, 0, 10)).toEqual([])
        expect(yield* seals.waiting(acme)).toBe(0)
      })
    )

    promised("keep their key", ({ store: { auditSeals: seals } }) =>
      Effect.gen(function* () {
        yield* seals.saveChainKey("sealed")
        expect(yield* seals.chainKey).toBe("sealed")
      })
    )

    promised("accept entries in the order of their numbers, after the last linked one", ({ store }) =>
      Effect.gen(function* () {
        const { auditSeals: seals } = store
        const entries = [1, 2, 10, 11].map((id) =>
          anAuditEntry(id, { accountId: id % 2 === 0 ? acme : other, at: instantAfter(id) })
        )
        yield* append(store, ...entries.toReversed())
        expect(yield* seals.next(3)).toEqual(entries.slice(0, 3))
        expect(yield* seals.oldestUnlinkedAt).toBe(instantAfter(1))
        yield* add(store, sealOf(other, 1, 1), sealOf(acme, 1, 2))
        expect(yield* seals.lastSealed).toBe(2)
        expect(yield* seals.next(9)).toEqual(entries.slice(2))
        expect(yield* seals.oldestUnlinkedAt).toBe(instantAfter(10))
        expect([yield* seals.waiting(acme), yield* seals.waiting(other)]).toEqual([1, 1])
        expect(yield* seals.head(acme)).toMatchObject({ seq: 1, entryId: 2, link: "link 1.1" })
        expect(yield* seals.nextAccount(0)).toBe(acme)
        expect(yield* seals.nextAccount(acme)).toBe(other)
        expect(yield* seals.nextAccount(other)).toBeUndefined()
      })
    )

    promised("are read in order of position, for each account separately", ({ store }) =>
      Effect.gen(function* () {
        const { auditSeals: seals } = store
        yield* append(store, ...[1, 2, 3].map((id) => anAuditEntry(id)), anAuditEntry(4, { accountId: other }))
        // 10 comes behind 9, not behind 1.
        const places = [1, 2, 9, 10, 11].map((seq) => sealOf(acme, seq, seq))
        yield* add(store, ...places.toReversed(), sealOf(other, 1, 4))
        const found = yield* seals.after(acme, 1, 3)
        expect(found.map(({ seal }) => seal)).toEqual(places.slice(1, 4))
        expect(found.map(({ entry }) => entry)).toEqual([anAuditEntry(2), "missing", "missing"])
        expect((yield* seals.after(other, 0, 9)).map(({ entry }) => entry)).toEqual([
          anAuditEntry(4, { accountId: other })
        ])
        expect(yield* seals.head(acme)).toMatchObject({ seq: 11 })
      })
    )

    promised("return the entries without a link, up to the last linked one", ({ store }) =>
      Effect.gen(function* () {
        const { auditSeals: seals } = store
        yield* append(store, ...[1, 2, 3, 4, 6].map((id) => anAuditEntry(id)), anAuditEntry(5, { accountId: other }))
        yield* add(store, sealOf(acme, 1, 2), sealOf(other, 1, 5))
        expect(yield* seals.unlinked(acme, 0, 9)).toEqual([1, 3, 4])
        expect(yield* seals.unlinked(acme, 1, 1)).toEqual([3])
        expect(yield* seals.unlinked(other, 0, 9)).toEqual([])
        expect([yield* seals.waiting(acme), yield* seals.waiting(acme, 0)]).toEqual([1, 0])
      })
    )

    promised("are cut at their beginning with the pruned entries, and continue from the checkpoint", ({ store }) =>
      Effect.gen(function* () {
        const { auditSeals: seals } = store
        const entries = [1, 2, 3].map((id) => anAuditEntry(id, { eventType: id === 2 ? "user.login" : "user.logout" }))
        yield* append(store, ...entries, anAuditEntry(4, { accountId: other }))
        const [first, second, third] = [1, 2, 3].map((seq) => sealOf(acme, seq, seq))
        yield* add(store, first!, second!, third!, sealOf(other, 1, 4))
        const count = (eventType: AuditEntry["eventType"]) =>
          Effect.map(
            store.auditEntries.page({ accountId: acme, eventTypes: [eventType] }, { offset: 0, limit: 9 }),
            (page) => [page.count, page.items.length]
          )
        yield* seals.prune(checkpointOf(second!))
        expect(yield* seals.checkpoint(acme)).toEqual(checkpointOf(second!))
        expect((yield* seals.after(acme, 0, 9)).map(({ seal }) => seal.seq)).toEqual([3])
        expect(yield* store.auditEntries.byId(idOf(1))).toBeUndefined()
        expect([yield* count("user.login"), yield* count("user.logout")]).toEqual([
          [0, 0],
          [1, 1]
        ])
        expect(yield* store.auditEntries.byId(idOf(4))).toBeDefined()
        yield* seals.prune(checkpointOf(third!))
        yield* seals.prune(checkpointOf(sealOf(other, 1, 4)))
        expect(yield* seals.head(acme)).toMatchObject({ seq: 3, entryId: 3, link: "link 1.3" })
        expect(yield* seals.lastSealed).toBe(4)
        expect(yield* seals.nextAccount(0)).toBe(acme)
        expect(yield* seals.nextAccount(acme)).toBe(other)
        expect(yield* seals.unlinked(acme, 0, 9)).toEqual([])
      })
    )

    promised("keep all changes of a committed transaction, and none of a failed one", ({ reopen, store }) =>
      Effect.gen(function* () {
        yield* append(store, anAuditEntry(1))
        const all = Effect.andThen(store.auditSeals.saveChainKey("k"), store.auditSeals.add(sealOf(acme, 1, 1)))
        yield* Effect.exit(store.transaction(Effect.andThen(all, Effect.fail("no"))))
        expect(yield* store.auditSeals.chainKey).toBeUndefined()
        expect(yield* store.auditSeals.lastSealed).toBe(0)
        yield* store.transaction(all)
        const found = reopen === undefined ? store : yield* reopen
        expect(yield* found.auditSeals.chainKey).toBe("k")
        expect(yield* found.auditSeals.lastSealed).toBe(1)
      })
    )
  })
}
