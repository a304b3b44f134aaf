import { SessionId, UserId } from "@tapedeck/domain"
import type { Session, SignInLink } from "@tapedeck/domain/internal/people"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { anAccount, aUser, instantAfter, startInstant } from "./samples.ts"

const ada = UserId.make(11)
const bob = UserId.make(12)

const aSession = (id: string, userId: UserId, known: Partial<Session> = {}): Session => ({
  id: SessionId.make(id),
  userId,
  hash: `hash of ${id}`,
  method: "password",
  createdAt: startInstant,
  seenAt: startInstant,
  expiresAt: instantAfter(1_000),
  ipAddress: "192.0.2.7",
  userAgent: "Zoë's browser 🎥",
  ...known
})

const aLink = (hash: string, userId: UserId | null, known: Partial<SignInLink> = {}): SignInLink => ({
  hash,
  userId,
  purpose: userId === null ? "setup" : "password",
  createdAt: startInstant,
  expiresAt: instantAfter(1_000),
  ...known
})

export const signIn = (promised: Promised): void => {
  describe("sessions", () => {
    promised("are found by their hash, with their present users", ({ store }) =>
      Effect.gen(function* () {
        const session = aSession("s1", ada, { ipAddress: null, userAgent: null, method: "oidc" })
        yield* store.accounts.save(anAccount(1))
        yield* store.users.save(aUser(11))
        yield* store.sessions.save(session)
        expect(yield* store.sessions.holder(session.hash)).toEqual({ session, user: aUser(11), account: anAccount(1) })
        expect(yield* store.sessions.holder("another")).toBeUndefined()
        yield* store.users.save(aUser(11, { active: false }))
        yield* store.accounts.save(anAccount(1, { name: "Renamed" }))
        yield* store.sessions.save({ ...session, seenAt: instantAfter(5) })
        expect(yield* store.sessions.holder(session.hash)).toEqual({
          session: { ...session, seenAt: instantAfter(5) },
          user: aUser(11, { active: false }),
          account: anAccount(1, { name: "Renamed" })
        })
      })
    )

    promised("are listed by user, newest first, and end by id or when they have expired", ({ store }) =>
      Effect.gen(function* () {
        const [s1, s2, s3] = [
          aSession("s1", ada),
          aSession("s2", ada, { createdAt: instantAfter(1), expiresAt: instantAfter(10) }),
          aSession("s3", ada, { expiresAt: instantAfter(11) })
        ]
        const theirs = aSession("t1", bob)
        yield* Effect.forEach([s1, s2, theirs, s3], store.sessions.save)
        expect(yield* store.sessions.ofUser(ada)).toEqual([s2, s3, s1])
        yield* store.sessions.remove(s1.id)
        yield* store.sessions.remove(s1.id)
        expect(yield* store.sessions.ofUser(ada)).toEqual([s2, s3])
        expect(yield* store.sessions.holder(s1.hash)).toBeUndefined()
        yield* store.sessions.prune(instantAfter(10))
        expect(yield* store.sessions.ofUser(ada)).toEqual([s3])
        expect(yield* store.sessions.ofUser(bob)).toEqual([theirs])
      })
    )
  })

  describe("passwords", () => {
    promised("are stored one for each user", ({ store }) =>
      Effect.gen(function* () {
        expect(yield* store.passwords.ofUser(ada)).toBeUndefined()
        yield* store.passwords.save({ userId: ada, sealed: "a", changedAt: startInstant })
        yield* store.passwords.save({ userId: bob, sealed: "b", changedAt: startInstant })
        yield* store.passwords.save({ userId: ada, sealed: "c", changedAt: instantAfter(1) })
        expect(yield* store.passwords.ofUser(ada)).toEqual({ userId: ada, sealed: "c", changedAt: instantAfter(1) })
        expect(yield* store.passwords.ofUser(bob)).toEqual({ userId: bob, sealed: "b", changedAt: startInstant })
      })
    )
  })

  describe("one-time links", () => {
    promised(
      "are stored one for each user, where a later one replaces the previous one, and several without a user",
      ({ store }) =>
        Effect.gen(function* () {
          const links = [aLink("a", null), aLink("b", ada), aLink("c", bob), aLink("d", null), aLink("e", ada)]
          yield* Effect.forEach(links, store.signInLinks.replace)
          const found = yield* Effect.forEach(["a", "b", "c", "d", "e"], store.signInLinks.byHash)
          expect(found).toEqual([links[0], undefined, links[2], links[3], links[4]])
          yield* store.signInLinks.removeOf(null)
          expect(yield* Effect.forEach(["a", "d"], store.signInLinks.byHash)).toEqual([undefined, undefined])
          yield* store.signInLinks.removeOf(bob)
          expect(yield* store.signInLinks.byHash("c")).toBeUndefined()
          expect(yield* store.signInLinks.byHash("e")).toEqual(links[4])
        })
    )

    promised("are removed when they have expired", ({ store }) =>
      Effect.gen(function* () {
        yield* store.signInLinks.replace(aLink("a", ada, { expiresAt: instantAfter(5) }))
        yield* store.signInLinks.replace(aLink("b", bob, { expiresAt: instantAfter(6) }))
        yield* store.signInLinks.prune(instantAfter(5))
        expect(yield* store.signInLinks.byHash("a")).toBeUndefined()
        expect(yield* store.signInLinks.byHash("b")).toBeDefined()
      })
    )
  })

  describe("windows of tries", () => {
    promised("count tries by key until they end or are removed", ({ store }) =>
      Effect.gen(function* () {
        const { byKey, count, prune, remove } = store.tryWindows
        expect(yield* byKey("a")).toBeUndefined()
        expect(yield* count({ key: "a", tries: 1, endsAt: instantAfter(5) }, instantAfter(0))).toEqual({
          key: "a",
          tries: 1,
          endsAt: instantAfter(5)
        })
        yield* count({ key: "b", tries: 1, endsAt: instantAfter(6) }, instantAfter(1))
        expect(yield* count({ key: "a", tries: 2, endsAt: instantAfter(7) }, instantAfter(2))).toEqual({
          key: "a",
          tries: 3,
          endsAt: instantAfter(5)
        })
        expect(yield* byKey("a")).toEqual({ key: "a", tries: 3, endsAt: instantAfter(5) })
        yield* prune(instantAfter(5))
        expect(yield* byKey("a")).toBeUndefined()
        expect(yield* byKey("b")).toEqual({ key: "b", tries: 1, endsAt: instantAfter(6) })
        yield* remove("b")
        yield* remove("b")
        expect(yield* byKey("b")).toBeUndefined()
      })
    )

    promised(
      "are replaced when they have ended, or end more than a minute, or their length, after a new one: the clock was set back",
      ({ store }) =>
        Effect.gen(function* () {
          const { count } = store.tryWindows
          yield* count({ key: "a", tries: 4, endsAt: instantAfter(5) }, instantAfter(0))
          expect(yield* count({ key: "a", tries: 1, endsAt: instantAfter(10) }, instantAfter(5))).toMatchObject({
            tries: 1,
            endsAt: instantAfter(10)
          })
          // The order of concurrent calls is not that in which they read the clock.
          expect(yield* count({ key: "a", tries: 1, endsAt: instantAfter(9) }, instantAfter(4))).toMatchObject({
            tries: 2,
            endsAt: instantAfter(10)
          })
          yield* count({ key: "b", tries: 1, endsAt: instantAfter(30) }, instantAfter(20))
          expect(yield* count({ key: "b", tries: 1, endsAt: instantAfter(20) }, instantAfter(10))).toMatchObject({
            tries: 2
          })
          expect(yield* count({ key: "b", tries: 1, endsAt: instantAfter(19) }, instantAfter(9))).toMatchObject({
            tries: 1
          })
          yield* count({ key: "a", tries: 1, endsAt: instantAfter(200_000) }, instantAfter(10))
          const [open, over] = [instantAfter(140_000), instantAfter(139_999)]
          expect(yield* count({ key: "a", tries: 1, endsAt: open }, instantAfter(11))).toMatchObject({ tries: 2 })
          expect(yield* count({ key: "a", tries: 1, endsAt: over }, instantAfter(11))).toMatchObject({
            tries: 1,
            endsAt: over
          })
        })
    )

    promised("have no fewer than no tries", ({ store }) =>
      Effect.gen(function* () {
        const { byKey, count, uncount } = store.tryWindows
        yield* count({ key: "a", tries: 3, endsAt: instantAfter(5) }, instantAfter(0))
        yield* uncount("a", 1)
        expect(yield* byKey("a")).toMatchObject({ tries: 2 })
        yield* uncount("a", 5)
        expect(yield* byKey("a")).toMatchObject({ tries: 0 })
        yield* uncount("b", 1)
        expect(yield* byKey("b")).toBeUndefined()
      })
    )

    promised("are extended once, by one of those that read the same end", ({ store }) =>
      Effect.gen(function* () {
        const { byKey, count, extend } = store.tryWindows
        const before = yield* count({ key: "a", tries: 5, endsAt: instantAfter(5) }, instantAfter(0))
        yield* count({ key: "a", tries: 1, endsAt: instantAfter(6) }, instantAfter(1))
        const extended = yield* Effect.all(
          Array.from({ length: 16 }, () => extend(before, instantAfter(9), 4)),
          { concurrency: "unbounded" }
        )
        expect(extended.filter(Boolean)).toHaveLength(1)
        expect(yield* byKey("a")).toEqual({ key: "a", tries: 2, endsAt: instantAfter(9) })
        expect(yield* extend({ key: "b", tries: 1, endsAt: instantAfter(5) }, instantAfter(9), 0)).toBe(false)
      })
    )

    promised("count each of 64 concurrent tries", ({ store }) =>
      Effect.gen(function* () {
        const counting = Array.from({ length: 64 }, () =>
          store.tryWindows.count({ key: "a", tries: 1, endsAt: instantAfter(5) }, instantAfter(0))
        )
        const windows = yield* Effect.all(counting, { concurrency: "unbounded" })
        expect(windows.map(({ tries }) => tries).sort((a, b) => a - b)).toEqual(counting.map((_, index) => index + 1))
      })
    )
  })
}
