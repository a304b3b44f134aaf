/** A UUID that one can tell from the others. */
export const uuidOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`

export const ids = {
  bobs: uuidOf(1),
  adas: uuidOf(2),
  unowned: uuidOf(3),
  live: uuidOf(4),
  freshchat: uuidOf(5),
  foreign: uuidOf(6),
  withoutApi: uuidOf(7),
  unknown: uuidOf(99)
}

const user = (name: string, role: string, account: number) => ({
  email: `${name}@acme.test`,
  name: name[0]!.toUpperCase() + name.slice(1),
  role,
  account,
  token: `${name}-token`
})

const video = (text: string, content_type: string) => ({ base64: Buffer.from(text).toString("base64"), content_type })

/** Three accounts: one with everything in it, a foreign one, and one whose plan has no API. */
export const fixtures = {
  accounts: [
    { id: 1, name: "Acme", api_access: true },
    { id: 2, name: "Other", api_access: true },
    { id: 3, name: "Basic", api_access: false }
  ],
  users: [
    user("ada", "admin", 1),
    user("bob", "member", 1),
    user("cy", "member", 1),
    { ...user("gone", "admin", 1), active: false },
    user("oz", "admin", 2),
    user("ned", "admin", 3),
    user("nia", "member", 3)
  ],
  recordings: [
    {
      uuid: ids.bobs,
      title: "Checkout fails",
      user: "bob@acme.test",
      helpdesk: { platform: "zendesk", ticket_id: "4711", active_ticket_id: "4712" },
      created_at: "2026-01-01T09:00:00.000Z",
      duration: 42,
      customer: { email: "carol@example.com" },
      v1_platform: "Win32",
      technical_details: { vendor: "Google Inc.", ip_address: "203.0.113.7" },
      video: {
        original: video("original bytes", "video/webm"),
        processed: video("0123456789", "video/mp4"),
        edited: null
      },
      transcript: {
        processed: Array.from({ length: 250 }, (_, i) => ({
          start_seconds: i,
          end_seconds: i + 1,
          text: `Segment ${i + 1}`,
          sentences: [{ speaker: "0", start: i }]
        })),
        language: "en",
        speaker_map: { "0": "Bob" }
      }
    },
    { uuid: ids.adas, title: "Große Überraschung", user: "ada@acme.test", created_at: "2026-01-02T09:00:00.000Z" },
    {
      uuid: ids.unowned,
      title: null,
      helpdesk: { platform: "jira", ticket_id: "SUP-1" },
      created_at: "2026-01-03T09:00:00.000Z",
      transcript: { legacy: "What the old system heard." }
    },
    {
      uuid: ids.live,
      title: "A call",
      user: "bob@acme.test",
      recording_type: "Live",
      created_at: "2026-01-04T09:00:00.000Z",
      room_insights: { started_at: "2026-01-04T09:00:00.000Z", ended_at: "2026-01-04T09:01:30.000Z" }
    },
    {
      uuid: ids.freshchat,
      title: "Chat",
      user: "cy@acme.test",
      helpdesk: { platform: "freshdesk_chat", ticket_id: "4711" },
      created_at: "2026-01-05T09:00:00.000Z"
    },
    { uuid: ids.foreign, account: 2, title: "Another account's", helpdesk: { platform: "zendesk", ticket_id: "4711" } },
    { uuid: ids.withoutApi, account: 3, title: "No API", user: "nia@acme.test" }
  ]
}
