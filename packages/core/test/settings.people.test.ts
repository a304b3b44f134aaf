import {
  AccessTokenChange,
  AccessTokenInput,
  AccountChange,
  decodeInput,
  UserChange,
  UserInput
} from "@tapedeck/domain/input"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { AccessTokens, AccountSettings, TokenSettings, UserSettings } from "../src/index.ts"
import { acme, ada, bob, callerOf, instantAfter, otto } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { makeSettingsWorld, type SettingsWorld } from "./settingsWorld.ts"

const admin = callerOf(ada, { kind: "session" })
const member = callerOf(bob, { kind: "session" })

const tokens = Effect.flatMap(TokenSettings, Effect.succeed)
const users = Effect.flatMap(UserSettings, Effect.succeed)

const authenticate = (text: string) => Effect.flatMap(AccessTokens, ({ authenticate }) => authenticate(text))

describe("access tokens (R19)", () => {
  const issue = (world: SettingsWorld, name: string, caller = admin) =>
    world.run(Effect.flatMap(tokens, ({ create }) => create(caller, inputOf(AccessTokenInput, { name }))))

  it("authenticate their user, can be viewed again, and give 401 after they are revoked", async () => {
    const world = await makeSettingsWorld()
    const { text, token } = await issue(world, "CI")
    expect(text).toMatch(/^tdk_[0-9A-Za-z]{46}$/)
    expect(await world.run(authenticate(text))).toMatchObject({ user: ada, kind: "access", tokenId: token.id })
    expect(await world.run(Effect.flatMap(tokens, ({ view }) => view(admin, token.id)))).toEqual({
      text,
      token: { ...token, lastUsedAt: token.createdAt }
    })
    await world.run(Effect.flatMap(tokens, ({ revoke }) => revoke(admin, token.id)))
    expect(await world.refusal(authenticate(text))).toMatchObject({ _tag: "Unauthenticated" })
    expect(await world.refusal(Effect.flatMap(tokens, ({ view }) => view(admin, token.id)))).toMatchObject({
      _tag: "NotFound"
    })
  })

  it("are listed newest first: only the caller's, without sessions and revoked tokens", async () => {
    const world = await makeSettingsWorld()
    await world.run(
      Effect.flatMap(AccessTokens, ({ create }) => create({ user: ada, name: "Session", kind: "session" }))
    )
    await issue(world, "Bob's", member)
    for (const [n, name] of ["one", "two", "three"].entries()) {
      await world.setTime(instantAfter(n))
      const { token } = await issue(world, name)
      if (name === "two") await world.run(Effect.flatMap(tokens, ({ revoke }) => revoke(admin, token.id)))
    }
    const page = await world.run(Effect.flatMap(tokens, ({ list }) => list(admin, 1)))
    expect(page.items.map(({ token }) => token.name)).toEqual(["three", "one"])
    expect(page.pagination.count).toBe(2)
  })

  it("of another user cannot be viewed, renamed or revoked, and neither can sessions", async () => {
    const world = await makeSettingsWorld()
    const { token } = await issue(world, "Bob's", member)
    const session = await world.run(
      Effect.flatMap(AccessTokens, ({ issue }) => issue({ user: ada, name: "Session", kind: "session" }))
    )
    for (const id of [token.id, session.token.id, "none"]) {
      const calls = [
        Effect.flatMap(tokens, ({ view }) => view(admin, id)),
        Effect.flatMap(tokens, ({ rename }) => rename(admin, id, inputOf(AccessTokenChange, { name: "Mine" }))),
        Effect.flatMap(tokens, ({ revoke }) => revoke(admin, id))
      ]
      for (const call of calls)
        expect(await world.refusal<unknown, { readonly _tag: string }>(call)).toMatchObject({ _tag: "NotFound" })
    }
  })

  it.each([
    [{}, "name is required"],
    [{ name: "\t" }, "name must not be blank"],
    [{ name: "Ada\r\nBcc: eve@evil.test" }, "name must not contain line breaks or other control characters"],
    [{ name: "Ada\u0085" }, "name must not contain line breaks or other control characters"],
    [{ name: "Ada\u2028" }, "name must not contain line breaks or other control characters"],
    [{ name: "x".repeat(256) }, "name must be at most 255 characters long"]
  ])("are refused with the input %j", async (input, message) => {
    const world = await makeSettingsWorld()
    const refusal = await world.refusal(
      Effect.flatMap(tokens, ({ create }) => create(admin, inputOf(AccessTokenInput, input)))
    )
    expect(refusal.message).toBe(message)
  })
})

describe("an invitation", () => {
  const invite = (input: Readonly<Record<string, unknown>>) =>
    Effect.flatMap(users, ({ invite }) => invite(admin, inputOf(UserInput, input)))

  it("adds an active member with all notifications on by default", async () => {
    const world = await makeSettingsWorld()
    await world.setTime(instantAfter(3))
    const { user } = await world.run(invite({ email: "Grace@acme.test", name: "Grace" }))
    expect(user).toMatchObject({
      accountId: acme.id,
      email: "Grace@acme.test",
      role: "member",
      active: true,
      notifications: { notifyFirstView: "Enabled", notifyAllRecordings: "Enabled", notifyOwnRecordings: "Enabled" },
      createdAt: instantAfter(3),
      updatedAt: instantAfter(3)
    })
    expect(await world.run(world.store.users.byEmail("grace@ACME.test"))).toEqual(user)
    const { user: other } = await world.run(
      invite({ email: "h@acme.test", name: "H", role: "admin", notifications: { notify_first_view: "Disabled" } })
    )
    expect(other).toMatchObject({
      role: "admin",
      notifications: { notifyFirstView: "Disabled", notifyAllRecordings: "Enabled" }
    })
  })

  it.each([
    [{}, "email is required; name is required"],
    [{ email: "BOB@acme.test", name: "B" }, "email is the address of a user already"],
    [{ email: "OTTO@other.test", name: "O" }, "email is the address of a user already"],
    [{ email: `${"x".repeat(251)}@a.b`, name: "B" }, "email must be at most 254 characters long"],
    [
      { email: "no", name: "", role: "owner", notifications: { notify_first_view: true } },
      "email must be an e-mail address; name must not be blank; role must be one of admin, member; " +
        "notifications.notify_first_view must be one of Enabled, Disabled"
    ]
  ])("refuses %j", async (input, message) => {
    const world = await makeSettingsWorld()
    expect((await world.refusal(invite(input))).message).toBe(message)
  })
})

describe("an account keeps an active admin", () => {
  const demote = (id: string) =>
    Effect.flatMap(users, ({ update }) => update(admin, id, inputOf(UserChange, { role: "member", name: "N" })))
  const promote = Effect.flatMap(users, ({ update }) => update(admin, "12", inputOf(UserChange, { role: "admin" })))
  const deactivate = (id: string) => Effect.flatMap(users, ({ deactivate }) => deactivate(admin, id))
  const active = (world: SettingsWorld) => world.run(world.store.users.countActiveAdmins(acme.id))

  it.each([
    ["demote", demote("11")],
    ["deactivate", deactivate("11")]
  ] as const)("refuses to %s its last active admin", async (_what, take) => {
    const world = await makeSettingsWorld()
    const before = world.memory.state()
    expect(await world.refusal<unknown, { readonly _tag: string }>(take)).toMatchObject({ _tag: "StateConflict" })
    expect(world.memory.state()).toBe(before)
    await world.run(promote)
    await world.run<unknown, unknown>(take)
    expect(await active(world)).toBe(1)
  })

  it("does not count a deactivated admin, and refuses before it validates the values (R1)", async () => {
    const world = await makeSettingsWorld()
    await world.run(promote)
    await world.run(deactivate("12"))
    expect(await world.refusal(demote("11"))).toMatchObject({ _tag: "StateConflict" })
    const alsoWrong = Effect.flatMap(users, ({ update }) =>
      update(admin, "11", inputOf(UserChange, { role: "member", name: "" }))
    )
    expect(await world.refusal(alsoWrong)).toMatchObject({ _tag: "StateConflict" })
    // One who is no active admin can be demoted.
    await world.run(demote("12"))
    expect(await active(world)).toBe(1)
  })
})

describe("a user", () => {
  it("has their tokens refused while deactivated (R19)", async () => {
    const world = await makeSettingsWorld()
    const { text } = await world.run(
      Effect.flatMap(tokens, ({ create }) => create(member, inputOf(AccessTokenInput, { name: "Bob's" })))
    )
    const deactivated = await world.run(Effect.flatMap(users, ({ deactivate }) => deactivate(admin, "12")))
    expect(deactivated.active).toBe(false)
    expect(await world.refusal(authenticate(text))).toMatchObject({ _tag: "Unauthenticated" })
    await world.run(Effect.flatMap(users, ({ reactivate }) => reactivate(admin, "12")))
    expect(await world.run(authenticate(text))).toMatchObject({ user: { id: bob.id } })
  })

  it("keeps fields that are not in the change; updated_at changes only with a field", async () => {
    const world = await makeSettingsWorld()
    await world.setTime(instantAfter(4))
    const update = (input: Readonly<Record<string, unknown>>) =>
      world.run(Effect.flatMap(users, ({ update }) => update(admin, "12", inputOf(UserChange, input))))
    expect(await update({ name: "Bob" })).toEqual(bob)
    const changed = await update({ notifications: { notify_own_recordings: "Disabled" }, role: "admin" })
    expect(changed).toEqual({
      ...bob,
      role: "admin",
      notifications: { ...bob.notifications, notifyOwnRecordings: "Disabled" },
      updatedAt: instantAfter(4)
    })
    expect(world.entries().map(({ eventType }) => eventType)).toEqual(["user.updated", "user.role_changed"])
  })

  it.each(["0", "-1", "1.0", "1e1", "012", "99999999999999999999", "ada@acme.test", String(otto.id)])(
    "is not found by the id %s",
    async (id) => {
      const world = await makeSettingsWorld()
      const get = Effect.flatMap(users, ({ get }) => get(admin, id))
      expect(await world.refusal(get)).toMatchObject({ _tag: "NotFound" })
    }
  )

  it("is changed by at least one field", () => {
    expect(decodeInput(UserChange)({})).toMatchObject({
      failure: "The body must have at least one of name, role, notifications, notify_failed_deliveries"
    })
  })
})

describe("the account", () => {
  const update = (input: Readonly<Record<string, unknown>>, caller = admin) =>
    Effect.flatMap(AccountSettings, ({ update }) => update(caller, inputOf(AccountChange, input)))

  it("is renamed, and keeps the fields that are left out", async () => {
    const world = await makeSettingsWorld()
    expect(await world.run(update({ name: "Acme Inc." }))).toEqual({ ...acme, name: "Acme Inc." })
    expect((await world.refusal(update({ name: null }))).message).toBe("name must be a string")
    expect(await world.run(world.store.accounts.byId(acme.id))).toEqual({ ...acme, name: "Acme Inc." })
  })

  it("its origins of embedding pages are kept as browsers write them, each one once, and at most 20 (T6)", async () => {
    const world = await makeSettingsWorld()
    const changed = {
      embed_origins: ["https://Help.Example.com:443/", "https://help.example.com", "http://localhost:3000"]
    }
    const embedOrigins = ["https://help.example.com", "http://localhost:3000"]
    expect(await world.run(update(changed))).toEqual({ ...acme, embedOrigins })
    expect(await world.run(update({ name: "Acme" }))).toMatchObject({ embedOrigins })
    const many = (count: number) => ({ embed_origins: Array.from({ length: count }, (_, n) => `https://h${n}.test`) })
    expect(await world.run(update(many(20)))).toMatchObject({ embedOrigins: many(20).embed_origins })
    expect((await world.refusal(update(many(21)))).message).toBe("embed_origins must have at most 20 items")
    const refused = await world.refusal(update({ embed_origins: ["https://a.test", "http://a.test"] }))
    expect(refused.message).toMatch(/^embed_origins\[1\] must be an origin/)
    expect(await world.run(update({ embed_origins: [] }))).toEqual({ ...acme, embedOrigins: [] })
  })

  it("its addresses of helpdesks are HTTPS, and are replaced together", async () => {
    const world = await makeSettingsWorld()
    const addresses = { zendesk: "https://Acme.Zendesk.com/", jira: "https://jira.acme.test/jira/" }
    const helpdeskAddresses = { zendesk: "https://acme.zendesk.com", jira: "https://jira.acme.test/jira" }
    expect(await world.run(update({ helpdesk_addresses: addresses }))).toEqual({ ...acme, helpdeskAddresses })
    const refused = await world.refusal(update({ helpdesk_addresses: { zendesk: "http://acme.zendesk.com" } }))
    expect(refused.message).toBe("helpdesk_addresses.zendesk must be an address such as https://acme.zendesk.com")
    expect(await world.run(update({ helpdesk_addresses: {} }))).toEqual({ ...acme, helpdeskAddresses: {} })
  })

  it("its API access is turned off and on in a session of an admin, with an audit entry each (S4)", async () => {
    const world = await makeSettingsWorld()
    const inSession = { ...admin, kind: "session" as const }
    expect(await world.run(update({ api_access: false }, inSession))).toEqual({ ...acme, apiAccess: false })
    expect(await world.run(update({ api_access: false }, inSession))).toEqual({ ...acme, apiAccess: false })
    expect(await world.run(update({ api_access: true }, inSession))).toEqual(acme)
    const changes = world.memory
      .state()
      .auditEntries.valuesArray()
      .map(({ eventType, metadata }) => [eventType, metadata.changes])
    expect(changes).toEqual([
      ["account.updated", { api_access: { from: true, to: false } }],
      ["account.updated", { api_access: { from: false, to: true } }]
    ])
  })

  it("its API access cannot be changed with an access token; the audit log shows the refusal (S4)", async () => {
    const world = await makeSettingsWorld()
    const byToken = { ...admin, kind: "access" as const }
    expect(await world.refusal(update({ name: "New", api_access: false }, byToken))).toMatchObject({
      _tag: "SessionRequired"
    })
    expect(await world.run(world.store.accounts.byId(acme.id))).toEqual(acme)
    const entries = world.memory.state().auditEntries.valuesArray()
    expect(entries.map(({ eventType, metadata }) => [eventType, metadata.targetId])).toEqual([
      ["access.denied", "account.update"]
    ])
  })
})
