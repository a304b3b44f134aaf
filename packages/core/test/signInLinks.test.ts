import { ForgottenPassword, UserInput } from "@tapedeck/domain/input"
import type { MailJob } from "@tapedeck/domain/internal/jobs"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { documentOfWorldState, type JobClaim, Outbox, Sessions, SignInLinks, UserSettings } from "../src/index.ts"
import { ada, bob, callerOf, instantAfter } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { makeSignInWorld, password, tokenIn } from "./signInWorld.ts"

const hour = 3_600_000

const admin = callerOf(ada, { kind: "session" })

const invite = (caller = admin, email = "grace@acme.test") =>
  Effect.gen(function* () {
    const users = yield* UserSettings
    const invited = yield* users.invite(caller, inputOf(UserInput, { email, name: "Grace" }))
    return { user: invited.user, invitation: yield* users.mailInvitation(invited) }
  })

const forPassword = (id: number, caller = admin) =>
  Effect.flatMap(SignInLinks, (links) => links.forPassword(caller, String(id)))

const forgotten = (email: string) =>
  Effect.flatMap(SignInLinks, (links) => links.forgotten(inputOf(ForgottenPassword, { email })))

const inOutbox = <A>(use: (outbox: Outbox["Service"]) => Effect.Effect<A>) =>
  Effect.flatMap(Outbox, use).pipe(Effect.provide(Outbox.layer))

/** What goes on without being waited for has been done. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe("an invitation", () => {
  it("is a link that sets a password once and signs the user in", async () => {
    const world = await makeSignInWorld()
    const { invitation, user } = await world.run(invite())
    expect(invitation).toMatchObject({ expiresAt: instantAfter(72 * hour), mailed: "off" })
    expect(invitation?.url).toMatch(/^https:\/\/tapedeck\.test\/sign-in\/link\?token=[\w-]{43}$/)
    const token = tokenIn(invitation!.url)
    const looked = await world.run(Effect.flatMap(SignInLinks, (links) => links.look(token)))
    expect(looked).toMatchObject({ purpose: "invitation", user: { id: user.id } })
    const before = world.entries().length
    const opened = await world.run(world.use({ token, password }))
    expect(opened).toMatchObject({ session: { userId: user.id, method: "link" } })
    expect(world.told(before)).toEqual([
      ["user.password_changed", "success", user.id],
      ["user.login", "success", user.id, "link"]
    ])
    expect(await world.refusal(world.use({ token, password }))).toMatchObject({ _tag: "LinkRefused" })
    await world.run(world.signIn("grace@acme.test"))
  })

  it("returns no link to an access token, because a leaked token could then create users (S1)", async () => {
    const world = await makeSignInWorld({ mail: "works" })
    const { invitation, user } = await world.run(invite(callerOf(ada)))
    expect(invitation).toBeNull()
    expect(world.mails).toEqual([])
    expect(world.memory.state().signInLinks.size).toBe(0)
    // Who is signed in makes one later.
    expect((await world.run(forPassword(user.id))).url).toContain("/sign-in/link?token=")
  })

  it("returns no link if the server has no page for it", async () => {
    const world = await makeSignInWorld({ policy: { linkPath: null } })
    expect((await world.run(invite())).invitation).toBeNull()
    expect(await world.refusal(forPassword(bob.id))).toMatchObject({ _tag: "StateConflict" })
  })

  it("returns no link if users have no passwords, because only the provider signs users in", async () => {
    const world = await makeSignInWorld({ policy: { passwords: false }, mail: "works" })
    const { invitation } = await world.run(invite())
    expect([invitation, world.mails]).toEqual([null, []])
    expect(await world.refusal(forPassword(bob.id))).toMatchObject({
      _tag: "StateConflict",
      message: "People sign in by the provider here, and not with a password"
    })
  })

  it("is sent by mail; a failed mail does not fail the invitation", async () => {
    const world = await makeSignInWorld({ mail: "works" })
    const { invitation } = await world.run(invite())
    expect(invitation?.mailed).toBe("sent")
    expect(world.mails).toMatchObject([{ to: "grace@acme.test", subject: "You were invited to Tapedeck" }])
    expect(world.mails[0]?.text).toContain(invitation!.url)
    expect(world.mails[0]?.text).toContain("for 3 days")

    const failing = await makeSignInWorld({ mail: "fails" })
    const told = await failing.run(invite())
    expect(told.invitation?.mailed).toBe("failed")
    await failing.run(failing.use({ token: tokenIn(told.invitation!.url), password }))
  })

  it("is queued when its mail fails, and mailed a minute later unless it was used or replaced", async () => {
    const world = await makeSignInWorld({ mail: "fails" })
    const { invitation, user } = await world.run(invite())
    const queued = () => world.memory.state().jobs.valuesArray()
    expect(JSON.stringify(queued())).not.toContain(tokenIn(invitation!.url))
    const claim = (at: ReturnType<typeof instantAfter>) =>
      world.setTime(at).then(() => world.run(world.store.jobs.claim({ slots: { mail: 10 }, leaseMs: 60_000 })))
    expect(await claim(instantAfter(59_000))).toEqual([])
    const [due] = await claim(instantAfter(60_000))
    const compose = inOutbox((outbox) => outbox.compose(due!.job as MailJob))
    expect(await world.run(compose)).toMatchObject({
      to: "grace@acme.test",
      subject: "You were invited to Tapedeck",
      text: expect.stringContaining(invitation!.url)
    })
    await world.run(forPassword(user.id))
    expect(await world.run(compose)).toBeNull()
    expect(queued()).toHaveLength(2)
  })

  it("counts a mail that cannot be composed as a failed try", async () => {
    const world = await makeSignInWorld({ mail: "fails" })
    await world.run(invite())
    await world.setTime(instantAfter(60_000))
    const [claim] = await world.run(world.store.jobs.claim({ slots: { mail: 1 }, leaseMs: 60_000 }))
    const { byId } = world.store.users
    Object.assign(world.store.users, { byId: () => Effect.die(new Error("not readable")) })
    await world.run(inOutbox((outbox) => outbox.deliver(claim as JobClaim<MailJob>)))
    Object.assign(world.store.users, { byId })
    const [left] = world.memory.state().jobs.valuesArray()
    expect(left?.job).toMatchObject({ failedTries: 2, dueAt: instantAfter(60_000 + 5 * 60_000) })
  })

  it("is invalid once it has expired, was replaced, or its user is deactivated", async () => {
    const world = await makeSignInWorld()
    const { invitation, user } = await world.run(invite())
    const later = await world.run(forPassword(user.id))
    expect(await world.refusal(world.use({ token: tokenIn(invitation!.url), password }))).toMatchObject({
      _tag: "LinkRefused"
    })
    await world.setTime(instantAfter(hour))
    expect(await world.refusal(world.use({ token: tokenIn(later.url), password }))).toMatchObject({
      _tag: "LinkRefused"
    })
    const last = await world.run(forPassword(user.id))
    await world.run(Effect.flatMap(UserSettings, (users) => users.deactivate(admin, String(user.id))))
    expect(await world.refusal(forPassword(user.id))).toMatchObject({ _tag: "StateConflict" })
    await world.run(Effect.flatMap(UserSettings, (users) => users.reactivate(admin, String(user.id))))
    expect(await world.refusal(world.use({ token: tokenIn(last.url), password }))).toMatchObject({
      _tag: "LinkRefused"
    })
  })
})

describe("a link for a password", () => {
  it("is made by an admin of the account, with an audit entry; the old password is valid until the link is used", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(bob.email)
    const { text } = await world.run(world.signIn(bob.email))
    const before = world.entries().length
    const { url } = await world.run(forPassword(bob.id))
    expect(world.told(before)).toEqual([["user.password_link_created", "success", ada.id]])
    await world.run(world.signIn(bob.email))
    await world.run(world.use({ token: tokenIn(url), password: "an altogether different one" }))
    expect(await world.refusal(world.signIn(bob.email))).toMatchObject({ _tag: "SignInRefused" })
    // The other sessions have ended.
    const old = Effect.flatMap(Sessions, (sessions) => sessions.authenticate(text))
    expect(await world.refusal(old)).toMatchObject({ _tag: "Unauthenticated" })
    // Otto is another account's.
    expect(await world.refusal(forPassword(31))).toMatchObject({ _tag: "NotFound" })
  })

  it("is used once, however many requests use it at the same time", async () => {
    const world = await makeSignInWorld()
    const { url } = await world.run(forPassword(bob.id))
    const tries = Array.from({ length: 8 }, () => Effect.exit(world.use({ token: tokenIn(url), password })))
    const exits = await world.run(Effect.all(tries, { concurrency: "unbounded" }))
    expect(exits.filter(({ _tag }) => _tag === "Success")).toHaveLength(1)
  })

  it("requires a valid password, and stays valid after an invalid one", async () => {
    const world = await makeSignInWorld()
    const token = tokenIn((await world.run(forPassword(bob.id))).url)
    expect(await world.refusal(world.use({ token, password: "short" }))).toMatchObject({
      message: "password must be at least 12 characters long"
    })
    expect(await world.refusal(world.use({ token }))).toMatchObject({ message: "password is required" })
    await world.run(world.use({ token, password }))
  })

  it("takes no fields of the link that sets up a server", async () => {
    const world = await makeSignInWorld()
    const token = tokenIn((await world.run(forPassword(bob.id))).url)
    expect(await world.refusal(world.use({ token, account: "Initech", email: "ina@initech.test" }))).toMatchObject({
      _tag: "InputMalformed",
      message: "account: unknown key; email: unknown key"
    })
  })

  it("is stored as a keyed hash only, and is in no audit entry", async () => {
    const world = await makeSignInWorld()
    const token = tokenIn((await world.run(forPassword(bob.id))).url)
    const kept = JSON.stringify(documentOfWorldState(world.memory.state()))
    expect(JSON.parse(kept).signIn.links).toHaveLength(1)
    expect(kept).not.toContain(token)
  })
})

describe("a forgotten password", () => {
  it("sends a link by mail to a known address, and gives the same answer for an unknown one", async () => {
    const world = await makeSignInWorld({ mail: "works" })
    await world.setPassword(bob.email)
    const before = world.entries().length
    for (const email of ["BOB@acme.test", "unknown@acme.test"]) {
      expect(await world.run(forgotten(email)), email).toBeUndefined()
    }
    await settled()
    expect(world.mails).toMatchObject([{ to: "bob@acme.test", subject: "Set a new password for Tapedeck" }])
    expect(world.mails[0]?.text).toContain("for 60 minutes")
    expect(world.told(before)).toEqual([["user.password_link_created", "success", null]])
    const [, url = ""] = /(https:\S+)/.exec(world.mails[0]!.text) ?? []
    await world.run(world.use({ token: tokenIn(url), password }))
  })

  it("sends no link to a user whom an access token invited, because a leaked token could take the account over (S1)", async () => {
    const world = await makeSignInWorld({ mail: "works" })
    const { user } = await world.run(invite(callerOf(ada), "mallory@evil.test"))
    await world.run(forgotten("mallory@evil.test"))
    await settled()
    expect(world.mails).toEqual([])
    expect(world.memory.state().signInLinks.size).toBe(0)
    // After a signed-in user let them in, they may ask for it themselves.
    await world.run(world.use({ token: tokenIn((await world.run(forPassword(user.id))).url), password }))
    await world.run(forgotten("mallory@evil.test"))
    await settled()
    expect(world.mails.map(({ to }) => to)).toEqual(["mallory@evil.test", "mallory@evil.test"])
  })

  it("sends a limited number of mails to a user", async () => {
    const world = await makeSignInWorld({ mail: "works" })
    await world.setPassword(bob.email)
    for (let n = 0; n < 3; n++) await world.run(forgotten("bob@acme.test"))
    expect(await world.refusal(forgotten("bob@acme.test"))).toMatchObject({
      _tag: "SignInThrottled",
      retryAfterMs: hour
    })
    await settled()
    expect(world.mails).toHaveLength(3)
  })

  it("refers to an admin if mail is not configured", async () => {
    const world = await makeSignInWorld()
    expect(await world.refusal(forgotten("bob@acme.test"))).toMatchObject({
      _tag: "StateConflict",
      message: "No mail is sent from here: ask an admin for a link"
    })
  })
})

describe("the link that sets up a server", () => {
  const setup = { password, account: "Initech", name: "Ina", email: "ina@initech.test" }

  const empty = async () => {
    const world = await makeSignInWorld()
    world.memory.replace({ ...world.memory.state(), ...(await emptyPeople()) })
    return world
  }
  const emptyPeople = async () => {
    const { emptyWorld } = await import("../src/index.ts")
    const { accounts, users, usersByEmail } = emptyWorld()
    return { accounts, users, usersByEmail }
  }

  const link = Effect.gen(function* () {
    const links = yield* SignInLinks
    return tokenIn((yield* links.issue(null, "setup"))!.url)
  })

  it("creates an account and its first admin, as the system user, and signs the admin in", async () => {
    const world = await empty()
    expect(await world.run(Effect.flatMap(SignInLinks, ({ isNew }) => isNew))).toBe(true)
    const token = await world.run(link)
    const opened = await world.run(world.use({ ...setup, token }))
    expect(opened).toMatchObject({ user: { role: "admin", email: setup.email }, account: { name: "Initech" } })
    expect(world.told()).toEqual([
      ["account.updated", "success", null],
      ["user.invited", "success", null],
      ["user.password_changed", "success", opened.user.id],
      ["user.login", "success", opened.user.id, "link"]
    ])
    expect(await world.run(Effect.flatMap(SignInLinks, ({ isNew }) => isNew))).toBe(false)
    expect(await world.refusal(world.use({ ...setup, email: "two@initech.test", token }))).toMatchObject({
      _tag: "LinkRefused"
    })
  })

  it("is valid after another process has issued one, until the first admin exists", async () => {
    const world = await empty()
    const [first, second] = [await world.run(link), await world.run(link)]
    await world.run(world.use({ ...setup, token: first }))
    for (const token of [first, second]) {
      expect(await world.refusal(world.use({ ...setup, token }))).toMatchObject({ _tag: "LinkRefused" })
    }
  })

  it("reports every missing field", async () => {
    const world = await empty()
    const token = await world.run(link)
    expect(await world.refusal(world.use({ token, password: "short" }))).toMatchObject({
      message: expect.stringMatching(/password.*account.*name.*email/)
    })
  })

  it("is invalid once an admin exists, and is not made then", async () => {
    const world = await makeSignInWorld()
    expect(await world.run(Effect.flatMap(SignInLinks, ({ isNew }) => isNew))).toBe(false)
    const token = await world.run(link)
    expect(await world.refusal(world.use({ ...setup, token }))).toMatchObject({ _tag: "LinkRefused" })
    expect(world.memory.state().accounts.size).toBe(2)
  })
})
