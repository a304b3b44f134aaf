import { AccountId } from "@tapedeck/domain"
import { describe, expect, it } from "vitest"
import { at, loadRecording, makeWorld, recordingOf, startInstant, uuid } from "./startDocumentWorld.ts"

const now = startInstant

describe("recordings", () => {
  it("every key that is its own field", async () => {
    const { recording } = await loadRecording(
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
    const made = await loadRecording({ created_at: "2025-06-01T00:00:00Z" })
    expect(made.recording.updatedAt).toBe(at("2025-06-01T00:00:00Z"))
    const changed = await loadRecording({ updated_at: "2025-06-01T00:00:00Z" })
    expect(changed.recording.createdAt).toBe(at("2025-06-01T00:00:00Z"))
    const later = await loadRecording({ updated_at: "2026-06-01T00:00:00Z" })
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
    const { world } = await loadRecording(
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
    const { recording } = await loadRecording({ helpdesk })
    expect(recording.helpdesk).toEqual({ ...none, ...expected })
  })

  it("is found by its normalized id", async () => {
    const { world } = await loadRecording({ helpdesk: { platform: "intercom", ticket_id: "215" } })
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
    const { recording } = await loadRecording({
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
    const { recording } = await loadRecording({ recording_type: "Live", room_insights: { duration: null } })
    expect(recording.roomInsights).toEqual({
      startedAt: null,
      endedAt: null,
      totalParticipantMinutes: null,
      totalUniqueParticipants: null,
      participantsInsights: null
    })
  })
})
