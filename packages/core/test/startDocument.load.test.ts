import { AccountId, AutomationId, DestinationId, FolderId, RecordingUuid, TokenId, UserId } from "@tapedeck/domain"
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { AccessTokens } from "../src/AccessTokens.ts"
import type { LoadedDocument } from "../src/startDocument/load.ts"
import { at, makeWorld, startInstant, type TestWorld } from "./startDocumentWorld.ts"

const uuid = "7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"
const webm = Buffer.from("not really a webm")
const now = startInstant

const recordingOf = (world: TestWorld, id = uuid) => world.run(world.store.recordings.byUuid(RecordingUuid.make(id)))

/** The first recording that the fields give. */
const load = async (fields: object, rest: object = {}) => {
  const world = makeWorld()
  const loaded = await world.load({ ...rest, recordings: [{ uuid, ...fields }] })
  const recording = await recordingOf(world)
  return { world, loaded, made: loaded.made.recordings[0]!, recording: recording! }
}

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

describe("recordings", () => {
  it("every key that is its own field", async () => {
    const { recording } = await load(
      {
        id: 77,
        user: "BOB@acme.test",
        title: "T",
        summary: "S",
        description: "D",
        recording_type: "Sent",
        recording_source: "Zendesk operator",
        created_at: "2026-01-01T10:00:00+01:00",
        updated_at: "2026-01-02T00:00:00Z",
        duration: 42,
        impressions_count: 3,
        technical_details: { vendor: "V", ip_address: "I", timezone: "Z", network_type: "N", isp: "P" },
        v1_platform: "Win32",
        console_logs: "logs",
        console_errors: ["e", { at: [1, null] }],
        network_errors: [],
        browser: "Chrome",
        os: "macOS",
        customer: { email: "kim@customer.test" },
        folder: "f1"
      },
      { users: [{ email: "bob@acme.test", name: "Bob", id: 5 }], folders: [{ id: "f1", name: "F" }] }
    )
    expect(recording).toMatchObject({
      id: 77,
      ownerId: 5,
      title: "T",
      summary: "S",
      description: "D",
      type: "Sent",
      source: "Zendesk operator",
      createdAt: at("2026-01-01T09:00:00Z"),
      updatedAt: at("2026-01-02T00:00:00Z"),
      durationSeconds: 42,
      impressionsCount: 3,
      technicalDetails: { vendor: "V", ipAddress: "I", timezone: "Z", networkType: "N", isp: "P" },
      v1Platform: "Win32",
      consoleLogs: "logs",
      consoleErrors: ["e", { at: [1, null] }],
      networkErrors: [],
      browser: "Chrome",
      os: "macOS",
      customerEmail: "kim@customer.test",
      folderId: "f1"
    })
  })

  it("a UUID in either case is kept in lower case", async () => {
    const world = makeWorld()
    const { made } = await world.load({ recordings: [{ uuid: uuid.toUpperCase() }] })
    expect(made.recordings[0]!.uuid).toBe(uuid)
    expect(await recordingOf(world)).toBeDefined()
  })

  it("was changed when it was made, unless it is said; and was never changed before it was made", async () => {
    const made = await load({ created_at: "2025-06-01T00:00:00Z" })
    expect(made.recording.updatedAt).toBe(at("2025-06-01T00:00:00Z"))
    const changed = await load({ updated_at: "2025-06-01T00:00:00Z" })
    expect(changed.recording.createdAt).toBe(at("2025-06-01T00:00:00Z"))
    const later = await load({ updated_at: "2026-06-01T00:00:00Z" })
    expect([later.recording.createdAt, later.recording.updatedAt]).toEqual([now, at("2026-06-01T00:00:00Z")])
  })

  it("numbers go on beside those that are given", async () => {
    const world = makeWorld()
    const { made } = await world.load({ recordings: [{}, { id: 2 }, {}, { id: 9 }] })
    expect(made.recordings.map(({ id }) => id)).toEqual([1, 2, 3, 9])
    const later = await world.load({ recordings: [{}] })
    expect(later.made.recordings[0]!.id).toBe(10)
  })

  it("in a folder fires nothing and makes no audit entry", async () => {
    const { world } = await load(
      { folder: "f1" },
      {
        users: [{ email: "a@b", name: "A" }],
        folders: [{ id: "f1", name: "F" }],
        sinks: [{ id: "crm" }],
        automations: [{ folder: "f1", url: "sink:crm" }],
        audit_destinations: [{ name: "S", url: "sink:crm" }]
      }
    )
    expect(await world.run(world.store.deliveries.list({}))).toEqual([])
    expect(await world.run(world.store.agenda.list)).toEqual([])
    expect(world.memory.state().auditEntries.size).toBe(0)
  })
})

describe("helpdesks", () => {
  const none = {
    conversationId: null,
    ticketId: null,
    activeTicketId: null,
    userId: null,
    operatorId: null,
    customerId: null,
    issueId: null,
    objectId: null
  }

  it.each([
    [
      { platform: "zendesk", ticket_id: "1" },
      { platform: "zendesk", ticketId: "1" }
    ],
    [
      { platform: "freshdesk", ticket_id: "1" },
      { platform: "freshdesk", ticketId: "1" }
    ],
    [
      { platform: "freshservice", ticket_id: "1" },
      { platform: "freshservice", ticketId: "1" }
    ],
    [
      { platform: "intercom", ticket_id: "1" },
      { platform: "intercom", conversationId: "1" }
    ],
    [
      { platform: "helpscout", ticket_id: "1", user_id: "u" },
      { platform: "helpscout", conversationId: "1", userId: "u" }
    ],
    [
      { platform: "freshdesk_chat", ticket_id: "1" },
      { platform: "freshdesk_chat", conversationId: "1" }
    ],
    [
      { platform: "jira", ticket_id: "1" },
      { platform: "jira", issueId: "1" }
    ],
    [
      { platform: "hubspot", ticket_id: "1" },
      { platform: "hubspot", objectId: "1" }
    ],
    [
      { platform: "jira", ticket_id: "1", issue_id: "1" },
      { platform: "jira", issueId: "1" }
    ],
    [
      { platform: "jira", ticket_id: null, issue_id: "1" },
      { platform: "jira", issueId: "1" }
    ],
    [
      { platform: "tapedeck", operator_id: "o" },
      { platform: "app", operatorId: "o" }
    ],
    [
      {
        platform: "zendesk",
        ticket_id: "1",
        active_ticket_id: "2",
        conversation_id: "3",
        user_id: "4",
        operator_id: "5",
        customer_id: "6",
        issue_id: "7",
        object_id: "8"
      },
      {
        platform: "zendesk",
        ticketId: "1",
        activeTicketId: "2",
        conversationId: "3",
        userId: "4",
        operatorId: "5",
        customerId: "6",
        issueId: "7",
        objectId: "8"
      }
    ]
  ])("%j", async (helpdesk, expected) => {
    const { recording } = await load({ helpdesk })
    expect(recording.helpdesk).toEqual({ ...none, ...expected })
  })

  it("is found by its normalized id", async () => {
    const { world } = await load({ helpdesk: { platform: "intercom", ticket_id: "215" } })
    const found = await world.run(
      world.store.recordings.page(
        { accountId: AccountId.make(1), ticket: { ticketId: "215" } },
        { offset: 0, limit: 9 }
      )
    )
    expect(found.count).toBe(1)
  })
})

describe("rooms", () => {
  it("of a Live recording", async () => {
    const { recording } = await load({
      recording_type: "Live",
      room_insights: {
        started_at: "2026-01-01T09:00:00Z",
        ended_at: "2026-01-01T09:22:00Z",
        duration: 1320,
        total_participant_minutes: 43.5,
        total_unique_participants: 2,
        participants_insights: [
          {
            participant_id: "p-1",
            display_name: "Ada",
            role: "host",
            browser: "Chrome",
            os: "macOS",
            device: "MacBook",
            device_type: "desktop",
            user_agent: "Mozilla",
            joined_at: "2026-01-01T09:00:05Z",
            left_at: null
          },
          { participant_id: "p-2" }
        ]
      }
    })
    const nobody = {
      displayName: null,
      role: null,
      browser: null,
      os: null,
      device: null,
      deviceType: null,
      userAgent: null
    }
    expect(recording.roomInsights).toEqual({
      startedAt: at("2026-01-01T09:00:00Z"),
      endedAt: at("2026-01-01T09:22:00Z"),
      totalParticipantMinutes: 43.5,
      totalUniqueParticipants: 2,
      participantsInsights: [
        {
          participantId: "p-1",
          displayName: "Ada",
          role: "host",
          browser: "Chrome",
          os: "macOS",
          device: "MacBook",
          deviceType: "desktop",
          userAgent: "Mozilla",
          joinedAt: at("2026-01-01T09:00:05Z"),
          leftAt: null
        },
        { participantId: "p-2", ...nobody, joinedAt: null, leftAt: null }
      ]
    })
  })

  it("of which nothing is known", async () => {
    const { recording } = await load({ recording_type: "Live", room_insights: { duration: null } })
    expect(recording.roomInsights).toEqual({
      startedAt: null,
      endedAt: null,
      totalParticipantMinutes: null,
      totalUniqueParticipants: null,
      participantsInsights: null
    })
  })
})

describe("videos", () => {
  it("base64, white space or not; made-up bytes; none", async () => {
    const base64 = webm.toString("base64")
    const { recording, world } = await load({
      video: {
        original: { base64: `${base64.slice(0, 8)}\n  ${base64.slice(8)}\n`, content_type: "video/mp4; codecs=avc1" },
        processed: { size: 1_000_000_000 },
        edited: { content_type: "video/mp4" }
      }
    })
    const { edited, original, processed } = recording.video
    expect(edited).toBeNull()
    expect(original).toMatchObject({ contentType: "video/mp4; codecs=avc1", sizeBytes: webm.length })
    expect(await world.bytesOf(original!.fileId, 0, webm.length)).toEqual(webm)
    expect(processed).toMatchObject({ contentType: "video/webm", sizeBytes: 1_000_000_000 })
    expect(await world.bytesOf(processed!.fileId, 999_999_990, 10)).toHaveLength(10)
    expect(original!.fileId).not.toBe(processed!.fileId)
  })

  it("a path is read once, and its extension says the type", async () => {
    const read: Array<string> = []
    const readFile = (path: string) => {
      read.push(path)
      return new Uint8Array(webm)
    }
    const world = makeWorld()
    const paths = ["clips/a.MP4", "a.mov", "a.webm", "a.avi", "a", "a.webm"]
    const recordings = paths.map((path) => ({ video: { original: { path } } }))
    const { made } = await world.load({ recordings }, { readFile })
    const types = await Promise.all(
      made.recordings.map(async (one) => (await recordingOf(world, one.uuid))?.video.original)
    )
    expect(types.map((file) => file?.contentType)).toEqual([
      "video/mp4",
      "video/quicktime",
      "video/webm",
      "application/octet-stream",
      "application/octet-stream",
      "video/webm"
    ])
    expect(read).toEqual(["clips/a.MP4", "a.mov", "a.webm", "a.avi", "a"])
    expect(await world.bytesOf(types[0]!.fileId, 0, 100)).toEqual(webm)
  })

  it("the same bytes have the same ETag, other bytes another", async () => {
    const { recording } = await load({
      video: { original: { base64: "AAAA" }, processed: { base64: "AAAA" }, edited: { base64: "AAAB" } }
    })
    const { edited, original, processed } = recording.video
    expect(original!.etag).toBe(processed!.etag)
    expect(original!.etag).not.toBe(edited!.etag)
    const madeUp = await load({ video: { original: { size: 5 }, processed: { size: 6 } } })
    expect(madeUp.recording.video.original!.etag).not.toBe(madeUp.recording.video.processed!.etag)
  })
})

describe("transcripts", () => {
  const segment = { start_seconds: 0, end_seconds: 4, text: "Hello", sentences: [{ speaker: "0" }] }
  const kept = { startSeconds: 0, endSeconds: 4, text: "Hello", sentences: [{ speaker: "0" }] }

  it("every key", async () => {
    const { recording } = await load({
      transcript: {
        language: "pt-BR",
        speaker_map: { "0": "Kim" },
        edited: [segment],
        processed: [{ start_seconds: 1, text: "Hi" }],
        legacy: "Hello"
      }
    })
    expect(recording.transcript).toEqual({
      status: "ready",
      language: "pt-BR",
      speakerMap: { "0": "Kim" },
      edited: [kept],
      processed: [{ startSeconds: 1, endSeconds: null, text: "Hi", sentences: [] }],
      legacyText: "Hello"
    })
  })

  it("segments are processed segments", async () => {
    const { recording } = await load({ transcript: { segments: [segment] } })
    expect(recording.transcript).toMatchObject({ status: "ready", processed: [kept], edited: null })
  })

  it.each([
    [{}, "unavailable"],
    [{ language: "en", segments: [] }, "unavailable"],
    [{ legacy: "Hello" }, "ready"],
    [{ script: [], legacy: "Hello" }, "ready"]
  ])("without a script %j is %s", async (transcript, status) => {
    const { recording } = await load({ transcript })
    expect(recording.transcript?.status).toBe(status)
  })

  it.each([
    [[{ at: 1, status: "processing" }], "unavailable"],
    [[{ at: 1, status: "ready" }], "processing"],
    [[{ at: 1, status: "unavailable" }], "processing"],
    [[{ at: 0, status: "processing" }], "processing"],
    [[{ at: 0, status: "ready" }], "ready"],
    [
      [
        { at: 0, status: "processing" },
        { at: "PT0S", status: "ready" }
      ],
      "ready"
    ],
    [[{ reads: 2, status: "processing" }], "unavailable"],
    [{ reads: 3, status: "ready" }, "processing"],
    [{ at: 0, status: "unavailable" }, "unavailable"]
  ])("with the script %j is %s when it is loaded", async (script, status) => {
    const { recording } = await load({ transcript: { script, segments: [segment] } })
    expect(recording.transcript?.status).toBe(status)
  })

  it("steps by time are on the agenda, from now; steps by reads are the caller's", async () => {
    const { loaded, world } = await load({
      transcript: {
        script: [
          { at: "PT0S", status: "processing" },
          { at: "PT30S", status: "ready" },
          { at: 60_000, status: "processing" },
          { reads: 3, status: "ready" },
          { reads: 3, status: "processing" }
        ]
      }
    })
    const due = await world.run(world.store.agenda.list)
    expect(due).toEqual([
      { kind: "transcript", at: now + 30_000, step: { recordingUuid: uuid, at: now + 30_000, status: "ready" } },
      { kind: "transcript", at: now + 60_000, step: { recordingUuid: uuid, at: now + 60_000, status: "processing" } }
    ])
    expect(loaded.readScripts).toEqual([
      {
        recordingUuid: uuid,
        steps: [
          { reads: 3, status: "ready" },
          { reads: 3, status: "processing" }
        ]
      }
    ])
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
