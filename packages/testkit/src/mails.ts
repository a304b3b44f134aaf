import type { Store } from "@tapedeck/core"
import { UserId } from "@tapedeck/domain"
import type { QueuedMail } from "@tapedeck/domain/internal/people"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { anAccount, aUser, instantAfter, startInstant, uuidOf } from "./samples.ts"

const acme = anAccount(1)
const leaseMs = 1_000

const aMail = (id: string, known: Partial<QueuedMail> = {}): QueuedMail => ({
  id,
  accountId: acme.id,
  userId: UserId.make(11),
  switch: "own_recordings",
  recordingUuid: uuidOf(1),
  deliveryId: null,
  subject: `About ${id} \u0001 🎬`,
  reason: null,
  failedTries: 0,
  createdAt: startInstant,
  dueAt: startInstant,
  ...known
})

const claim = (store: Store, limit = 100) => store.mails.claim({ limit, leaseMs })

export const mails = (promised: Promised): void => {
  describe("a queued mail", () => {
    promised("is claimed when it is due and not before, the longest due first, up to the limit", ({ setTime, store }) =>
      Effect.gen(function* () {
        const all = [
          aMail("1", { dueAt: instantAfter(20) }),
          aMail("2", { dueAt: instantAfter(10) }),
          aMail("3", { dueAt: instantAfter(30) })
        ]
        yield* Effect.forEach(all, store.mails.add)
        yield* setTime(instantAfter(9))
        expect(yield* claim(store)).toEqual([])
        yield* setTime(instantAfter(30))
        expect((yield* claim(store, 2)).map(({ mail }) => mail)).toEqual([all[1], all[0]])
        expect((yield* claim(store)).map(({ mail }) => mail)).toEqual([all[2]])
      })
    )

    promised("is claimed once by concurrent claims", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(
          Array.from({ length: 12 }, (_, index) => aMail(String(index))),
          store.mails.add
        )
        const claims = yield* Effect.all(
          Array.from({ length: 6 }, () => claim(store, 3)),
          { concurrency: "unbounded" }
        )
        expect(claims.flat()).toHaveLength(12)
        expect(new Set(claims.flat().map(({ mail }) => mail.id)).size).toBe(12)
      })
    )

    promised("is not added again while it is in the outbox, and keeps its content", ({ store }) =>
      Effect.gen(function* () {
        yield* store.mails.add(aMail("1"))
        yield* store.mails.add(aMail("1", { subject: "again" }))
        expect((yield* claim(store)).map(({ mail }) => mail)).toEqual([aMail("1")])
      })
    )

    promised("is removed if the transaction that added it fails", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.exit(store.transaction(Effect.andThen(store.mails.add(aMail("1")), Effect.die("undone"))))
        expect(yield* claim(store)).toEqual([])
      })
    )

    promised("is claimed again when its lease ends, and the previous claim can write nothing", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* store.mails.add(aMail("1"))
        const [first] = yield* claim(store)
        expect(yield* claim(store)).toEqual([])
        yield* setTime(instantAfter(leaseMs))
        const [second] = yield* claim(store)
        expect(yield* store.mails.finish(first!)).toBe(false)
        expect(yield* store.mails.postpone(first!, aMail("1"))).toBe(false)
        expect(yield* store.mails.finish(second!)).toBe(true)
        expect(yield* store.mails.finish(second!)).toBe(false)
        yield* setTime(instantAfter(10 * leaseMs))
        expect(yield* claim(store)).toEqual([])
      })
    )

    promised("is due at the given time after it is postponed, with its number of failed tries", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* store.mails.add(aMail("1"))
        const [mine] = yield* claim(store)
        const later = aMail("1", { failedTries: 1, dueAt: instantAfter(60_000) })
        expect(yield* store.mails.postpone(mine!, later)).toBe(true)
        yield* setTime(instantAfter(59_999))
        expect(yield* claim(store)).toEqual([])
        yield* setTime(instantAfter(60_000))
        expect((yield* claim(store)).map(({ mail }) => mail)).toEqual([later])
      })
    )

    promised("is addressed to the active admins of its account, by id, up to the limit", ({ store }) =>
      Effect.gen(function* () {
        yield* store.accounts.save(acme)
        const users = [
          aUser(4, { role: "admin" }),
          aUser(2, { role: "admin" }),
          aUser(3, { role: "admin", active: false }),
          aUser(5),
          aUser(6, { role: "admin" })
        ]
        yield* Effect.forEach(users, store.users.save)
        expect((yield* store.users.activeAdmins(acme.id, 2)).map(({ id }) => id)).toEqual([2, 4])
      })
    )
  })
}
