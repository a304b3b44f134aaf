import { AccountId, AutomationId, DestinationId, FolderId, TokenId, UserId } from "@tapedeck/domain"
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { AccessTokens } from "../src/AccessTokens.ts"
import type { LoadedDocument } from "../src/startDocument/load.ts"
import { makeWorld, recordingOf, startInstant, type TestWorld, uuid } from "./startDocumentWorld.ts"

const now = startInstant

describe("what is left out has a default", () => {
  let world: TestWorld
  let loaded: LoadedDocument

  beforeAll(async () => {
    world = makeWorld()
    loaded = await world.load({
      users: [{ email: "bob@acme.test", name: "Bob" }],
      recordings: [{}],
      folders: [{ name: "VIP" }],
      sinks: [{}],
      audit_destinations: [{ name: "SIEM", url: "https://siem.test" }]
    })
  })

  it("an account, with API access", async () => {
    expect(loaded.made.account).toEqual({ id: 1, name: "Account", api_access: true })
    expect(await world.run(world.store.accounts.list)).toEqual([{ id: 1, name: "Account", apiAccess: true }])
  })

  it("a user: member, active, notified of everything, with a token", async () => {
    const [made] = loaded.made.users
    expect(await world.run(world.store.users.byEmail("bob@acme.test"))).toEqual({
      id: 1,
      accountId: 1,
      email: "bob@acme.test",
      name: "Bob",
      role: "member",
      active: true,
      hasProfilePicture: false,
      notifications: { notifyFirstView: "Enabled", notifyAllRecordings: "Enabled", notifyOwnRecordings: "Enabled" },
      createdAt: now,
      updatedAt: now
    })
    expect(made!.token).toMatch(/^tdk_[0-9A-Za-z]{46}$/)
    const caller = await world.run(Effect.flatMap(AccessTokens, (tokens) => tokens.authenticate(made!.token)))
    expect([caller.user.email, caller.account.name, caller.kind]).toEqual(["bob@acme.test", "Account", "access"])
  })

  it("a recording: null where the specification allows it", async () => {
    const [made] = loaded.made.recordings
    expect(await recordingOf(world, made!.uuid)).toEqual({
      id: 1,
      uuid: made!.uuid,
      accountId: 1,
      ownerId: null,
      title: null,
      summary: null,
      description: null,
      createdAt: now,
      updatedAt: now,
      durationSeconds: null,
      impressionsCount: 0,
      type: "Received",
      source: null,
      helpdesk: {
        platform: "app",
        conversationId: null,
        ticketId: null,
        activeTicketId: null,
        userId: null,
        operatorId: null,
        customerId: null,
        issueId: null,
        objectId: null
      },
      technicalDetails: { vendor: null, ipAddress: null, timezone: null, networkType: null, isp: null },
      consoleLogs: null,
      consoleErrors: null,
      networkErrors: null,
      browser: null,
      os: null,
      customerEmail: null,
      roomInsights: null,
      v1Platform: null,
      folderId: null,
      video: { original: null, processed: null, edited: null },
      transcript: null
    })
  })

  it("a folder, a sink and a destination", async () => {
    const [folder] = loaded.made.folders
    expect(await world.run(world.store.folders.byId(FolderId.make(folder!.id)))).toEqual({
      id: folder!.id,
      accountId: 1,
      name: "VIP",
      createdAt: now
    })
    expect(loaded.sinks).toEqual([{ id: "sink1", respond: [200] }])
    const [destination] = loaded.made.audit_destinations
    expect(await world.run(world.store.destinations.byId(DestinationId.make(destination!.id)))).toEqual({
      id: destination!.id,
      accountId: 1,
      name: "SIEM",
      url: "https://siem.test",
      description: null,
      secret: null,
      headers: {},
      timeoutMs: 30_000,
      previousSecrets: [],
      maxRetries: 6,
      filters: { categories: [], eventTypes: [], severities: [] },
      signature: "hex",
      enabled: true,
      createdAt: now
    })
  })

  it("an automation: POST, enabled, with a secret and the default payload", async () => {
    const { made } = await world.load({
      folders: [{ id: "f1", name: "F" }],
      automations: [{ folder: "f1", url: "https://crm.test" }]
    })
    const [automation] = made.automations
    expect(await world.run(world.store.automations.byId(AutomationId.make(automation!.id)))).toEqual({
      id: automation!.id,
      accountId: 1,
      folderId: "f1",
      url: "https://crm.test",
      method: "POST",
      headers: {},
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      previousSecrets: [],
      payloadTemplate: null,
      enabled: true,
      createdAt: now
    })
    expect(automation!.secret).toMatch(/^whsec_/)
  })

  it("a document in which nothing needs an account makes none", async () => {
    const empty = makeWorld()
    const { made } = await empty.load({ sinks: [{ id: "crm" }] })
    expect(made).toEqual({
      users: [],
      recordings: [],
      folders: [],
      sinks: [{ id: "crm", respond: [200] }],
      automations: [],
      audit_destinations: []
    })
    expect(await empty.run(empty.store.accounts.list)).toEqual([])
  })
})

describe("accounts", () => {
  it("several, and what names none is in the first", async () => {
    const world = makeWorld()
    const { made } = await world.load({
      accounts: [{ name: "First" }, { id: 1, name: "Second", api_access: false }, {}],
      users: [
        { email: "a@first.test", name: "A" },
        { email: "b@second.test", name: "B", account: 1 }
      ],
      folders: [{ id: "f1", name: "F", account: 1 }],
      recordings: [{ uuid, account: 1, user: "b@second.test", folder: "f1" }],
      automations: [{ id: "a1", folder: "f1", url: "https://crm.test" }],
      audit_destinations: [{ id: "d1", name: "D", url: "https://siem.test", account: 1 }]
    })
    expect(made.accounts).toEqual([
      { id: 2, name: "First", api_access: true },
      { id: 1, name: "Second", api_access: false },
      { id: 3, name: "Account", api_access: true }
    ])
    expect(made.account).toBeUndefined()
    expect(made.users.map(({ account }) => account)).toEqual([2, 1])
    const { store } = world
    expect((await world.run(store.accounts.byId(AccountId.make(1))))?.apiAccess).toBe(false)
    expect((await recordingOf(world))?.accountId).toBe(1)
    expect((await world.run(store.folders.byId(FolderId.make("f1"))))?.accountId).toBe(1)
    expect((await world.run(store.automations.byId(AutomationId.make("a1"))))?.accountId).toBe(1)
    expect((await world.run(store.destinations.byId(DestinationId.make("d1"))))?.accountId).toBe(1)
  })
})

describe("users", () => {
  it("every key", async () => {
    const world = makeWorld()
    const notifications = { notify_first_view: "Disabled", notify_own_recordings: "Disabled" } as const
    const { made } = await world.load({
      account: { id: 7, name: "Acme" },
      users: [
        { email: "a@acme.test", name: "A" },
        {
          id: 1,
          account: 7,
          email: "Ada@acme.test",
          name: "Ada",
          role: "admin",
          active: false,
          token: "!secret~token#",
          notifications,
          has_profile_picture: true
        }
      ]
    })
    expect(await world.run(world.store.users.byId(UserId.make(1)))).toEqual({
      id: 1,
      accountId: 7,
      email: "Ada@acme.test",
      name: "Ada",
      role: "admin",
      active: false,
      hasProfilePicture: true,
      notifications: { notifyFirstView: "Disabled", notifyAllRecordings: "Enabled", notifyOwnRecordings: "Disabled" },
      createdAt: now,
      updatedAt: now
    })
    expect(made.users.map(({ id, token }) => [id, token])).toEqual([
      [2, expect.stringMatching(/^tdk_/)],
      [1, "!secret~token#"]
    ])
    const holder = await world.run(world.store.tokens.holder(world.vault.hash("!secret~token#")))
    expect(holder?.user.id).toBe(1)
    expect(await world.run(world.vault.open(holder!.token.sealed))).toBe("!secret~token#")
    expect(await world.run(world.store.tokens.byId(TokenId.make(holder!.token.id)))).toMatchObject({ kind: "access" })
  })
})

describe("sinks and webhooks", () => {
  it("every key; sink:ID is that sink's URL, of the document or of the world", async () => {
    const world = makeWorld()
    const respond = [500, "timeout", { status: 200, headers: { a: "b" }, body: "x", after: "PT1S" }] as const
    const { sinks } = await world.load(
      {
        folders: [{ id: "f1", name: "F" }],
        sinks: [{ id: "crm", respond }, {}],
        automations: [
          {
            id: "a1",
            folder: "f1",
            url: "sink:crm",
            secret: "k",
            method: "PUT",
            headers: { "X-Foo": "bar" },
            payload: '{"title": {{recording.title}}}',
            enabled: false
          },
          { id: "a2", folder: "f1", url: "sink:old" },
          { id: "a3", folder: "f1", url: "http://localhost:8080/hook", secret: "whsec_AAAA" }
        ],
        audit_destinations: [
          {
            id: "d1",
            name: "SIEM",
            url: "sink:crm",
            description: "Ours",
            secret: "s",
            headers: { "X-Foo": "bar" },
            timeout_seconds: 300,
            max_retries: 0,
            filters: { categories: ["security"], event_types: ["user.login"], severities: ["high"] },
            signature: "sha256=hex",
            enabled: false
          }
        ]
      },
      { takenSinks: new Set(["old", "sink1"]) }
    )
    expect(sinks).toEqual([
      { id: "crm", respond },
      { id: "sink2", respond: [200] }
    ])
    expect(await world.run(world.store.automations.ofFolder(FolderId.make("f1")))).toMatchObject([
      {
        id: "a1",
        url: "https://sinks.test/crm",
        secret: "k",
        method: "PUT",
        headers: { "X-Foo": "bar" },
        payloadTemplate: '{"title": {{recording.title}}}',
        enabled: false
      },
      { id: "a2", url: "https://sinks.test/old" },
      { id: "a3", url: "http://localhost:8080/hook", secret: "whsec_AAAA" }
    ])
    expect(await world.run(world.store.destinations.byId(DestinationId.make("d1")))).toMatchObject({
      url: "https://sinks.test/crm",
      description: "Ours",
      secret: "s",
      headers: { "X-Foo": "bar" },
      timeoutMs: 300_000,
      maxRetries: 0,
      filters: { categories: ["security"], eventTypes: ["user.login"], severities: ["high"] },
      signature: "sha256=hex",
      enabled: false
    })
  })
})
