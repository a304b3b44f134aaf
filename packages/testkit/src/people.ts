import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { anAccount, aToken, aUser, instantAfter, startInstant } from "./samples.ts"

const everyone = { offset: 0, limit: 100 }
const acme = anAccount(1).id
const other = anAccount(2).id

export const people = (promised: Promised): void => {
  describe("accounts", () => {
    promised("are found by id, and listed", ({ store }) =>
      Effect.gen(function* () {
        const accounts = [anAccount(1), anAccount(2, { name: "Other", apiAccess: false })]
        yield* Effect.forEach(accounts, store.accounts.save)
        expect(yield* store.accounts.byId(other)).toEqual(accounts[1])
        expect(yield* store.accounts.byId(anAccount(3).id)).toBeUndefined()
        expect(yield* store.accounts.list).toEqual(accounts)
      })
    )

    promised("are changed by saving them again", ({ store }) =>
      Effect.gen(function* () {
        yield* store.accounts.save(anAccount(1))
        yield* store.accounts.save(anAccount(1, { apiAccess: false }))
        expect(yield* store.accounts.list).toEqual([anAccount(1, { apiAccess: false })])
      })
    )
  })

  describe("users", () => {
    promised("who are active admins of an account are listed by id, up to the limit", ({ store }) =>
      Effect.gen(function* () {
        const users = [
          aUser(4, { role: "admin" }),
          aUser(2, { role: "admin" }),
          aUser(3, { role: "admin", active: false }),
          aUser(5),
          aUser(6, { role: "admin" })
        ]
        yield* Effect.forEach(users, store.users.save)
        expect((yield* store.users.activeAdmins(acme, 2)).map(({ id }) => id)).toEqual([2, 4])
      })
    )

    promised("are read as they were saved", ({ store }) =>
      Effect.gen(function* () {
        const user = aUser(11, { name: "Zoë 🎥", role: "admin", active: false, updatedAt: instantAfter(7) })
        yield* store.users.save(user)
        expect(yield* store.users.byId(user.id)).toEqual(user)
        expect(yield* store.users.byId(aUser(12).id)).toBeUndefined()
      })
    )

    promised("are found by ids: those that exist, each once", ({ store }) =>
      Effect.gen(function* () {
        const users = Array.from({ length: 130 }, (_, n) => aUser(100 + n))
        yield* Effect.forEach(users, store.users.save)
        const byId = (found: ReadonlyArray<(typeof users)[number]>) => [...found].sort((a, b) => a.id - b.id)
        for (const count of [0, 1, 2, 5, 6, 100, 101, 130]) {
          const some = users.slice(0, count)
          const ids = [...some.map(({ id }) => id), aUser(11).id]
          expect(byId(yield* store.users.byIds(ids))).toEqual(some)
        }
        expect(yield* store.users.byIds([])).toEqual([])
      })
    )

    promised("are found by e-mail without regard to case, and return it as written (R16)", ({ store }) =>
      Effect.gen(function* () {
        const user = aUser(11, { email: "Ada.Lovelace@Acme.test" })
        yield* store.users.save(user)
        expect(yield* store.users.byEmail("ADA.lovelace@acme.TEST")).toEqual(user)
        expect(yield* store.users.byEmail("ada.lovelace@acme.tes")).toBeUndefined()
        expect(yield* store.users.byEmail("ada_lovelace@acme.test")).toBeUndefined()
        expect(yield* store.users.byEmail("%")).toBeUndefined()
      })
    )

    promised("are other users where their e-mail differs in the case of other letters than ASCII's", ({ store }) =>
      Effect.gen(function* () {
        const pairs = [
          ["kim@acme.test", "\u212aim@acme.test"],
          ["\u00e9@acme.test", "\u00c9@acme.test"],
          ["i@acme.test", "\u0130@acme.test"],
          ["\u017f@acme.test", "s@acme.test"]
        ] as const
        for (const [index, [one, other]] of pairs.entries()) {
          const [first, second] = [aUser(100 + index, { email: one }), aUser(200 + index, { email: other })]
          yield* store.users.save(first)
          expect(yield* store.users.byEmail(other)).toBeUndefined()
          yield* store.users.save(second)
          expect([yield* store.users.byEmail(one), yield* store.users.byEmail(other)]).toEqual([first, second])
        }
      })
    )

    promised("are found by their new e-mail only, once it has changed", ({ store }) =>
      Effect.gen(function* () {
        yield* store.users.save(aUser(11, { email: "old@acme.test" }))
        yield* store.users.save(aUser(11, { email: "new@acme.test" }))
        expect(yield* store.users.byEmail("old@acme.test")).toBeUndefined()
        expect((yield* store.users.byEmail("NEW@acme.test"))?.id).toBe(11)
        yield* store.users.save(aUser(12, { email: "old@acme.test" }))
        expect((yield* store.users.byEmail("old@acme.test"))?.id).toBe(12)
      })
    )

    promised("are listed oldest first, ties by id, for each account separately (R7)", ({ store }) =>
      Effect.gen(function* () {
        const users = [
          aUser(14, { createdAt: instantAfter(-5) }),
          aUser(9),
          aUser(11),
          aUser(100),
          aUser(12, { createdAt: instantAfter(1) })
        ]
        yield* Effect.forEach([users[3]!, users[0]!, users[4]!, users[2]!, users[1]!], store.users.save)
        yield* store.users.save(aUser(21, { accountId: other, createdAt: instantAfter(-9) }))
        expect(yield* store.users.page({ accountId: acme }, everyone)).toEqual({ count: 5, items: users })
        expect(yield* store.users.page({ accountId: acme }, { offset: 1, limit: 2 })).toEqual({
          count: 5,
          items: users.slice(1, 3)
        })
        expect(yield* store.users.page({ accountId: acme }, { offset: 5, limit: 2 })).toEqual({ count: 5, items: [] })
        expect((yield* store.users.page({ accountId: other }, everyone)).count).toBe(1)
        expect(yield* store.users.page({ accountId: anAccount(3).id }, everyone)).toEqual({ count: 0, items: [] })
        yield* store.users.save(aUser(11, { active: false }))
        expect((yield* store.users.page({ accountId: acme }, everyone)).count).toBe(5)
        expect(yield* store.users.page({ accountId: acme, activeOnly: true }, { offset: 1, limit: 2 })).toEqual({
          count: 4,
          items: [users[1], users[3]]
        })
        yield* store.users.save(aUser(11))
        expect((yield* store.users.page({ accountId: acme, activeOnly: true }, everyone)).count).toBe(5)
      })
    )
  })

  describe("active admins", () => {
    promised("are counted by account", ({ store }) =>
      Effect.gen(function* () {
        expect(yield* store.users.countActiveAdmins(acme)).toBe(0)
        yield* Effect.forEach(
          [
            aUser(11, { role: "admin" }),
            aUser(12, { role: "admin", active: false }),
            aUser(13),
            aUser(21, { role: "admin", accountId: other }),
            aUser(14, { role: "admin" })
          ],
          store.users.save
        )
        expect(yield* store.users.countActiveAdmins(acme)).toBe(2)
        yield* store.users.save(aUser(11))
        expect(yield* store.users.countActiveAdmins(acme)).toBe(1)
      })
    )
  })

  describe("tokens", () => {
    const account = anAccount(1, { apiAccess: false })
    const user = aUser(11, { active: false })
    const token = aToken("t1", 11, { revokedAt: instantAfter(3), kind: "session", sealed: "c2VhbGVk+/=" })

    promised("return their users by their hash, even revoked, deactivated, without API access (R19)", ({ store }) =>
      Effect.gen(function* () {
        yield* store.accounts.save(account)
        yield* store.users.save(user)
        yield* store.tokens.save(token)
        expect(yield* store.tokens.holder(token.hash)).toEqual({ token, user, account })
        expect(yield* store.tokens.byId(token.id)).toEqual(token)
      })
    )

    promised("return no user for a hash that is unknown, or differs in one place", ({ store }) =>
      Effect.gen(function* () {
        yield* store.accounts.save(account)
        yield* store.users.save(user)
        yield* store.tokens.save(token)
        for (const hash of ["", "hash of t", token.hash.toUpperCase(), `${token.hash} `, token.id]) {
          expect(yield* store.tokens.holder(hash)).toBeUndefined()
        }
        expect(yield* store.tokens.byId(aToken("t2", 11).id)).toBeUndefined()
      })
    )

    promised("return the present user, account and token", ({ store }) =>
      Effect.gen(function* () {
        yield* store.accounts.save(anAccount(1))
        yield* store.users.save(aUser(11))
        yield* store.tokens.save(aToken("t1", 11))
        yield* store.users.save(aUser(11, { role: "admin" }))
        yield* store.accounts.save(account)
        yield* store.tokens.save(aToken("t1", 11, { name: "Renamed", revokedAt: startInstant }))
        expect(yield* store.tokens.holder(token.hash)).toEqual({
          token: aToken("t1", 11, { name: "Renamed", revokedAt: startInstant }),
          user: aUser(11, { role: "admin" }),
          account
        })
      })
    )

    promised("keep their last use when other fields change", ({ store }) =>
      Effect.gen(function* () {
        yield* store.accounts.save(account)
        yield* store.users.save(user)
        yield* store.tokens.save(aToken("t1", 11))
        yield* store.tokens.use(aToken("t1", 11).id, instantAfter(5))
        yield* store.tokens.use(aToken("none", 11).id, instantAfter(5))
        const used = aToken("t1", 11, { lastUsedAt: instantAfter(5) })
        expect((yield* store.tokens.holder(used.hash))?.token).toEqual(used)
        yield* store.tokens.save({ ...used, name: "Renamed" })
        expect(yield* store.tokens.byId(used.id)).toEqual({ ...used, name: "Renamed" })
      })
    )

    promised("of a user are listed newest first, ties by id, without sessions and revoked tokens", ({ store }) =>
      Effect.gen(function* () {
        const tokens = [
          aToken("newest", 11, { createdAt: instantAfter(2) }),
          aToken("t2", 11),
          aToken("t1", 11),
          aToken("oldest", 11, { createdAt: instantAfter(-2) })
        ]
        yield* Effect.forEach(
          [
            ...tokens.toReversed(),
            aToken("session", 11, { kind: "session" }),
            aToken("revoked", 11, { revokedAt: instantAfter(1) }),
            aToken("another's", 12)
          ],
          store.tokens.save
        )
        expect(yield* store.tokens.page(user.id, everyone)).toEqual({ count: 4, items: tokens })
        expect(yield* store.tokens.page(user.id, { offset: 1, limit: 2 })).toEqual({
          count: 4,
          items: tokens.slice(1, 3)
        })
        expect(yield* store.tokens.page(aUser(13).id, everyone)).toEqual({ count: 0, items: [] })
      })
    )

    promised("keep their names unchanged, with any character", ({ store }) =>
      Effect.gen(function* () {
        const name = 'Zoë 🎥 "quoted" \u0000 and half a pair: \ud83c'
        yield* store.accounts.save(anAccount(1, { name }))
        yield* store.users.save(aUser(11, { name }))
        yield* store.tokens.save(aToken("t1", 11, { name }))
        const holder = yield* store.tokens.holder(token.hash)
        expect([holder?.token.name, holder?.user.name, holder?.account.name]).toEqual([name, name, name])
        expect((yield* store.tokens.byId(token.id))?.name).toBe(name)
        expect((yield* store.tokens.page(user.id, everyone)).items[0]?.name).toBe(name)
      })
    )

    promised("of one user are independent of each other", ({ store }) =>
      Effect.gen(function* () {
        yield* store.accounts.save(anAccount(1))
        yield* store.users.save(aUser(11))
        yield* store.tokens.save(aToken("t1", 11))
        yield* store.tokens.save(aToken("t2", 11))
        for (const one of [aToken("t1", 11), aToken("t2", 11)]) {
          expect((yield* store.tokens.holder(one.hash))?.token).toEqual(one)
        }
      })
    )
  })
}
