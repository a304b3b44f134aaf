import { PasswordChange } from "@tapedeck/domain/input"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { documentOfWorldState, Sessions, SignIn, UserSettings } from "../src/index.ts"
import { ada, bob, callerOf, instantAfter } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { makeSignInWorld, password } from "./signInWorld.ts"

const minute = 60_000
const hour = 60 * minute

const authenticate = (text: string) => Effect.flatMap(Sessions, (sessions) => sessions.authenticate(text))

describe("signing in with a password", () => {
  it("opens a session, and writes an audit entry", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(ada.email)
    const before = world.entries().length
    const { session, text } = await world.run(world.signIn("ADA@acme.test"))
    expect(session).toMatchObject({ userId: ada.id, method: "password", ipAddress: "192.0.2.7", userAgent: "Firefox" })
    expect(world.told(before)).toEqual([["user.login", "success", ada.id, "password"]])
    expect(world.entries()[before]).toMatchObject({ ipAddress: "192.0.2.7", userAgent: "Firefox" })
    const caller = await world.run(authenticate(text))
    expect(caller).toMatchObject({ kind: "session", user: { id: ada.id }, account: { id: 1 } })
  })

  it("commits the session together with its audit entry (A5)", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(ada.email)
    const before = world.memory.state()
    const { append } = world.store.auditEntries
    Object.assign(world.store.auditEntries, { append: () => Effect.die("full") })
    expect((await world.run(Effect.exit(world.signIn(ada.email))))._tag).toBe("Failure")
    Object.assign(world.store.auditEntries, { append })
    expect(world.memory.state().sessions).toBe(before.sessions)
    expect(world.memory.state().auditEntries).toBe(before.auditEntries)
  })

  it("gives the same refusal for an unknown address, a user without a password, a wrong password and a deactivated user", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(ada.email)
    await world.setPassword(bob.email)
    await world.run(Effect.flatMap(UserSettings, (users) => users.deactivate(callerOf(ada), String(bob.id))))
    const before = world.entries().length
    const tries = [
      ["unknown@acme.test", password],
      ["cyd@acme.test", password],
      ["ada@acme.test", "wrong horse battery staple"],
      ["bob@acme.test", password]
    ] as const
    for (const [email, given] of tries) {
      expect(await world.refusal(world.signIn(email, given)), email).toMatchObject({
        _tag: "SignInRefused",
        message: "The e-mail address or the password is wrong"
      })
    }
    // An unknown address leaves no entry (A7).
    expect(world.told(before)).toEqual([
      ["user.login_failed", "failure", 13, "no_password"],
      ["user.login_failed", "failure", ada.id, "wrong_password"],
      ["user.login_failed", "failure", bob.id, "deactivated"]
    ])
  })

  it("needs the same number of commits for an unknown address as for a known one", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(ada.email)
    const commitsOf = async (email: string) => {
      let commits = 0
      const { transaction } = world.store
      const counting: typeof transaction = (body) => {
        commits++
        return transaction(body)
      }
      Object.assign(world.store, { transaction: counting })
      await world.refusal(world.signIn(email, "wrong horse battery staple"))
      Object.assign(world.store, { transaction })
      return commits
    }
    const known = await commitsOf(ada.email)
    expect(known).toBeGreaterThan(1)
    // `record` of an entry is a transaction within the other.
    expect(await commitsOf("unknown@acme.test")).toBe(known - 1)
  })

  it("ends the browser's previous session", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(ada.email)
    const first = await world.run(world.signIn(ada.email))
    const second = await world.run(world.signIn(ada.email, password, first.text))
    expect(second.text).not.toBe(first.text)
    expect(await world.refusal(authenticate(first.text))).toMatchObject({ _tag: "Unauthenticated" })
    expect(await world.run(authenticate(second.text))).toMatchObject({ user: { id: ada.id } })
  })

  it("can be turned off", async () => {
    const on = await makeSignInWorld({ policy: { passwords: false } })
    await on.setPassword(ada.email)
    const before = on.entries().length
    expect(await on.refusal(on.signIn(ada.email))).toMatchObject({ _tag: "SignInRefused" })
    expect(on.told(before)).toEqual([["user.login_failed", "failure", ada.id, "passwords_off"]])
  })

  it("rehashes with the present parameters, and accepts each Unicode form of a password", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(ada.email, "Zoë hört Radio am Abend")
    const kept = () => world.run(world.store.passwords.ofUser(ada.id))
    const before = await kept()
    await world.run(world.signIn(ada.email, "Zoë hört Radio am Abend".normalize("NFD")))
    expect(await kept()).toEqual(before)
    Object.assign(world.settings.signIn, { passwordCost: { ln: 5, r: 1, p: 1 } })
    await world.run(world.signIn(ada.email, "Zoë hört Radio am Abend"))
    expect(await kept()).not.toEqual(before)
    await world.run(world.signIn(ada.email, "Zoë hört Radio am Abend"))
  })

  it("does not store the password or the browser's token, nor returns them", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(ada.email)
    const { text } = await world.run(world.signIn(ada.email))
    await world.refusal(world.signIn(ada.email, "a wrong but secret one"))
    const all = JSON.stringify(documentOfWorldState(world.memory.state()))
    expect(JSON.parse(all).signIn).toMatchObject({ sessions: [{}, {}], passwords: [{}], windows: [{}, {}, {}] })
    for (const secret of [password, text, "a wrong but secret one", "$scrypt$"]) expect(all).not.toContain(secret)
  })
})

describe("limits of sign-in", () => {
  const wrong = "wrong horse battery staple"

  it("count tries by address, known or not; beyond the limit the right password is refused too", async () => {
    const world = await makeSignInWorld({ policy: { perName: { tries: 3, perMs: 15 * minute } } })
    await world.setPassword(ada.email)
    const before = world.entries().length
    for (const email of [ada.email, "unknown@acme.test"]) {
      for (let n = 0; n < 3; n++)
        expect(await world.refusal(world.signIn(email, wrong))).toMatchObject({ _tag: "SignInRefused" })
      for (let n = 0; n < 5; n++) {
        expect(await world.refusal(world.signIn(email))).toMatchObject({
          _tag: "SignInThrottled",
          retryAfterMs: 15 * minute
        })
      }
    }
    // However many attempts follow, the log has one entry more than the limit.
    expect(world.told(before)).toEqual([
      ...Array(3).fill(["user.login_failed", "failure", ada.id, "wrong_password"]),
      ["user.login_failed", "failure", ada.id, "throttled"]
    ])
    await world.setTime(instantAfter(15 * minute))
    await world.run(world.signIn(ada.email))
  })

  it("have a share of their own for each network address; all together have ten shares", async () => {
    const world = await makeSignInWorld({ policy: { perName: { tries: 3, perMs: 15 * minute } } })
    await world.setPassword(ada.email)
    for (let n = 0; n < 50; n++) await world.refusal(world.signIn(ada.email, wrong))
    world.comeFrom("192.0.2.8")
    await world.run(world.signIn(ada.email))
    for (let address = 0; address < 10; address++) {
      world.comeFrom(`192.0.2.${100 + address}`)
      for (let n = 0; n < 3; n++) await world.refusal(world.signIn(ada.email, wrong))
    }
    world.comeFrom("192.0.2.9")
    expect(await world.refusal(world.signIn(ada.email))).toMatchObject({ _tag: "SignInThrottled" })
  })

  it("treat a window that ends further ahead than its length as expired, as after the clock was set back", async () => {
    const world = await makeSignInWorld({ policy: { perName: { tries: 1, perMs: 15 * minute } } })
    await world.setPassword(ada.email)
    await world.setTime(instantAfter(24 * 60 * minute))
    await world.refusal(world.signIn(ada.email, wrong))
    expect(await world.refusal(world.signIn(ada.email))).toMatchObject({ _tag: "SignInThrottled" })
    await world.setTime(instantAfter(0))
    await world.run(world.signIn(ada.email))
  })

  it("count a browser that has signed in before separately, so that tries of others do not lock it out", async () => {
    const world = await makeSignInWorld({
      policy: { perName: { tries: 3, perMs: hour }, perAddress: { tries: 4, perMs: hour } }
    })
    await world.setPassword(ada.email)
    await world.setPassword(bob.email)
    const { known } = await world.run(world.signIn(ada.email))
    const { known: bobs } = await world.run(world.signIn(bob.email))
    const tryTooOften = async (own?: string) => {
      for (let n = 0; n < 3; n++) {
        expect(await world.refusal(world.signIn(ada.email, wrong, undefined, own))).toMatchObject({
          _tag: "SignInRefused"
        })
      }
    }
    await tryTooOften()
    // Not even with the password from another browser, be it another user's or one that claims to be hers.
    for (const kept of [undefined, bobs, `${known.slice(0, -1)}${known.endsWith("A") ? "B" : "A"}`, "", "x"]) {
      expect(await world.refusal(world.signIn(ada.email, password, undefined, kept))).toMatchObject({
        _tag: "SignInThrottled"
      })
    }
    const again = await world.run(world.signIn("ADA@acme.test", password, undefined, known))
    expect(again.known).not.toBe(known)
    // What was tried elsewhere is not forgotten by it.
    expect(await world.refusal(world.signIn(ada.email))).toMatchObject({ _tag: "SignInThrottled" })
    const before = world.entries().length
    await tryTooOften(known)
    expect(await world.refusal(world.signIn(ada.email, password, undefined, known))).toMatchObject({
      _tag: "SignInThrottled"
    })
    expect(world.told(before).map((entry) => entry.at(-1))).toEqual([...Array(3).fill("wrong_password"), "throttled"])
    await world.run(world.signIn(ada.email, password, undefined, again.known))
  })

  it("count concurrent tries like successive ones", async () => {
    const world = await makeSignInWorld({ policy: { perName: { tries: 3, perMs: hour } } })
    await world.setPassword(ada.email)
    const tries = Array.from({ length: 12 }, () => Effect.flip(world.signIn(ada.email, wrong)))
    const refusals = await world.run(Effect.all(tries, { concurrency: "unbounded" }))
    expect(refusals.filter(({ _tag }) => _tag === "SignInRefused")).toHaveLength(3)
  })

  it("count tries by network too; a successful sign-in does not count", async () => {
    const world = await makeSignInWorld({ policy: { perAddress: { tries: 3, perMs: hour } } })
    await world.setPassword(ada.email)
    for (let n = 0; n < 9; n++) await world.run(world.signIn(ada.email))
    world.comeFrom("2001:db8:1:2::7")
    for (const name of ["a", "b", "c"]) await world.refusal(world.signIn(`${name}@x.test`, wrong))
    world.comeFrom("2001:DB8:1:2:ffff:1:2:3")
    expect(await world.refusal(world.signIn(ada.email))).toMatchObject({ _tag: "SignInThrottled" })
    for (const elsewhere of ["2001:db8:1:3::7", "192.0.2.8", "::ffff:192.0.2.9", null]) {
      world.comeFrom(elsewhere)
      await world.run(world.signIn(ada.email))
    }
  })

  it("remove expired counts", async () => {
    const world = await makeSignInWorld()
    for (let n = 0; n < 20; n++) await world.refusal(world.signIn(`unknown-${n}@acme.test`, wrong))
    await world.setTime(instantAfter(hour))
    await world.refusal(world.signIn("another@acme.test", wrong))
    expect(world.memory.state().tryWindows.size).toBeLessThan(5)
  })
})

describe("a session", () => {
  it("expires when it is unused, and at the end of its lifetime", async () => {
    const world = await makeSignInWorld({ policy: { idleMs: 2 * hour, lifetimeMs: 5 * hour } })
    await world.setPassword(ada.email)
    const [used, idle] = [await world.run(world.signIn(ada.email)), await world.run(world.signIn(ada.email))]
    for (const at of [1.9, 3.8, 4.9]) {
      await world.setTime(instantAfter(at * hour))
      await world.run(authenticate(used.text))
    }
    expect(await world.refusal(authenticate(idle.text))).toMatchObject({ _tag: "Unauthenticated" })
    await world.setTime(instantAfter(5 * hour))
    expect(await world.refusal(authenticate(used.text))).toMatchObject({ _tag: "Unauthenticated" })
    // The next sign-in removes expired sessions.
    await world.run(world.signIn(ada.email))
    expect(world.memory.state().sessions.size).toBe(1)
    expect(world.memory.state().sessionsByHash.size).toBe(1)
  })

  it("stores its last use once a minute, not with each request", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(ada.email)
    const { text } = await world.run(world.signIn(ada.email))
    const { sessions } = world.memory.state()
    await world.setTime(instantAfter(minute - 1))
    await world.run(authenticate(text))
    expect(world.memory.state().sessions).toBe(sessions)
    await world.setTime(instantAfter(minute))
    await world.run(authenticate(text))
    expect(world.memory.state().sessions).not.toBe(sessions)
  })

  it("is listed and ended by its own user only", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(ada.email)
    await world.setPassword(bob.email)
    const [first, second] = [await world.run(world.signIn(ada.email)), await world.run(world.signIn(ada.email))]
    const caller = await world.run(authenticate(second.text))
    const sessions = await world.run(Effect.service(Sessions))
    const listed = await world.run(sessions.list(caller))
    expect(listed.map(({ isCurrent, session }) => [session.userId, isCurrent]).toSorted()).toEqual([
      [ada.id, false],
      [ada.id, false],
      [ada.id, true]
    ])
    const theirs = (await world.run(sessions.list(callerOf(bob))))[0]!.session
    expect(await world.refusal(sessions.end(caller, theirs.id))).toMatchObject({ _tag: "NotFound" })
    const before = world.entries().length
    await world.run(sessions.end(caller, first.session.id))
    expect(await world.refusal(authenticate(first.text))).toMatchObject({ _tag: "Unauthenticated" })
    expect(await world.run(sessions.endOthers(caller))).toBe(1)
    await world.run(sessions.signOut(caller))
    expect(await world.refusal(authenticate(second.text))).toMatchObject({ _tag: "Unauthenticated" })
    expect(world.told(before)).toEqual([
      ["user.session_ended", "success", ada.id],
      ["user.session_ended", "success", ada.id],
      ["user.logout", "success", ada.id]
    ])
  })

  it("ends when its user is deactivated, and does not return when the user is reactivated", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(bob.email)
    const { text } = await world.run(world.signIn(bob.email))
    const users = await world.run(Effect.service(UserSettings))
    await world.run(users.deactivate(callerOf(ada), String(bob.id)))
    await world.run(users.reactivate(callerOf(ada), String(bob.id)))
    expect(await world.refusal(authenticate(text))).toMatchObject({ _tag: "Unauthenticated" })
    await world.run(world.signIn(bob.email))
  })

  it("a user has at most 50 sessions; the next one ends the oldest", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(ada.email)
    for (let n = 0; n < 60; n++) await world.run(world.signIn(ada.email))
    expect(world.memory.state().sessions.size).toBe(50)
  })
})

describe("changing one's password", () => {
  const change = (input: Readonly<Record<string, unknown>>, text: string) =>
    Effect.gen(function* () {
      const caller = yield* authenticate(text)
      yield* (yield* SignIn).changePassword(caller, inputOf(PasswordChange, input))
    })
  const next = "an altogether different one"

  it("has its own limit of guesses, which tries of sign-in do not use up", async () => {
    const world = await makeSignInWorld({ policy: { perName: { tries: 2, perMs: hour } } })
    await world.setPassword(ada.email)
    const here = await world.run(world.signIn(ada.email))
    for (let n = 0; n < 3; n++) await world.refusal(world.signIn(ada.email, "wrong horse battery staple"))
    const guess = change({ current_password: "wrong horse battery staple", password: next }, here.text)
    expect(await world.refusal(guess)).toMatchObject({ _tag: "InputInvalid" })
    await world.run(change({ current_password: password, password: next }, here.text))
    for (let n = 0; n < 2; n++) expect(await world.refusal(guess)).toMatchObject({ _tag: "InputInvalid" })
    expect(await world.refusal(guess)).toMatchObject({ _tag: "SignInThrottled" })
  })

  it("requires the present password, ends all other sessions, and writes an audit entry", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(ada.email)
    const [here, there] = [await world.run(world.signIn(ada.email)), await world.run(world.signIn(ada.email))]
    const before = world.entries().length
    const wrong = await world.refusal(change({ current_password: "not it at all", password: next }, here.text))
    expect(wrong).toMatchObject({ _tag: "InputInvalid", message: "current_password is not your password" })
    await world.run(change({ current_password: password, password: next }, here.text))
    expect(world.told(before)).toEqual([
      ["user.login_failed", "failure", ada.id, "wrong_password"],
      ["user.password_changed", "success", ada.id]
    ])
    await world.run(authenticate(here.text))
    expect(await world.refusal(authenticate(there.text))).toMatchObject({ _tag: "Unauthenticated" })
    expect(await world.refusal(world.signIn(ada.email))).toMatchObject({ _tag: "SignInRefused" })
    await world.run(world.signIn(ada.email, next))
  })

  it.each([
    ["too short", "must be at least 12 characters long"],
    ["aaaaaaaaaaaaaaaa", "must have more than a few different characters"],
    ["passwordpassword", "must not consist of common words or keyboard rows"],
    ["Password2026!", "must not consist of common words or keyboard rows"],
    ["qwertyuiop12", "must not consist of common words or keyboard rows"],
    ["123456789012", "must not consist of common words or keyboard rows"],
    ["abcdefgh-987654", "must not consist of common words or keyboard rows"],
    ["Summer_2026!!", "must not consist of common words or keyboard rows"],
    ["ada@acme.test", "must not be your name or e-mail address"],
    ["x".repeat(201), "must be at most 200 characters long"],
    [5, "must be a string"]
  ])("refuses %s", async (given, message) => {
    const world = await makeSignInWorld()
    await world.setPassword(ada.email)
    const { text } = await world.run(world.signIn(ada.email))
    const refused = await world.refusal(change({ current_password: password, password: given }, text))
    expect(refused).toMatchObject({ _tag: "InputInvalid", message: expect.stringContaining(`password ${message}`) })
  })

  // With a word of those in it, or with nothing but digits, as long as there is something left to be guessed.
  it.each([
    "correct horse battery staple",
    "my password of many words",
    "admin of the lighthouse",
    "483920175566",
    "Mayonnaise-7421",
    "tr0ub4dor&3xyz",
    "passwörter in reihe"
  ])("accepts %s", async (given) => {
    const world = await makeSignInWorld()
    await world.setPassword(ada.email, "an altogether different one")
    const { text } = await world.run(world.signIn(ada.email, "an altogether different one"))
    await world.run(change({ current_password: "an altogether different one", password: given }, text))
    await world.run(world.signIn(ada.email, given))
  })
})
