import type { StartDocument } from "../startDocument/schema.ts"
import { demoMp4, demoWebm } from "./demoVideos.ts"

/** Recording `n`: easy to type, and a valid UUID. */
const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`

const webm = { base64: demoWebm, content_type: "video/webm" }
const mp4 = { base64: demoMp4, content_type: "video/mp4" }

/** A video that plays. */
export const demoVideo = { original: webm }

const ada = "ada@acme.test"
const bob = "bob@acme.test"
const mia = "mia@acme.test"

/** What is known of a segment's sentences: who speaks. */
const said = (speaker: string) => [{ speaker }]

/** A small support team, with something of each kind to look at: what `--demo` starts with, in the emulator as it is. */
export const demoDocument = {
  account: { name: "Acme", api_access: true },
  users: [
    { email: ada, name: "Ada Lovelace", role: "admin", token: "demo-admin-token", has_profile_picture: true },
    { email: bob, name: "Bob Noyce", role: "member", token: "demo-member-token" },
    {
      email: mia,
      name: "Mia Wallace",
      role: "member",
      notifications: { notify_first_view: "Enabled", notify_all_recordings: "Disabled" }
    },
    { email: "leo@acme.test", name: "Leo (has left)", role: "member", active: false, token: "demo-deactivated-token" }
  ],
  folders: [
    { id: "bugs", name: "Bugs" },
    { id: "vip", name: "VIP customers" }
  ],
  recordings: [
    {
      uuid: uuid(1),
      title: "Checkout fails in Safari",
      summary: "The pay button does nothing.",
      description: "Steps: fill the cart, choose invoice, press Pay. Nothing happens, and the console shows an error.",
      user: bob,
      recording_type: "Received",
      helpdesk: { platform: "zendesk", ticket_id: "4711", active_ticket_id: "4715", customer_id: "990017" },
      created_at: "2025-12-31T16:04:00.000Z",
      duration: 14,
      impressions_count: 3,
      customer: { email: "kim@customer.test" },
      browser: "Safari 18",
      os: "macOS 15",
      v1_platform: "MacIntel",
      technical_details: {
        vendor: "Apple Computer, Inc.",
        ip_address: "203.0.113.7",
        timezone: "Europe/Berlin",
        network_type: "4g",
        isp: "Example Telecom"
      },
      console_logs:
        "[info] cart loaded: 2 items\n[error] TypeError: null is not an object (evaluating 'invoice.id')\n[info] retrying",
      network_errors: [{ method: "POST", url: "https://shop.acme.test/pay", status: 502 }],
      video: { original: webm },
      transcript: {
        language: "en",
        speaker_map: { "0": "Kim", "1": "Bob" },
        segments: [
          {
            start_seconds: 0,
            end_seconds: 6,
            text: "Hello, I want to pay, and nothing happens.",
            sentences: said("0")
          },
          { start_seconds: 6, end_seconds: 9, text: "Does the button change its colour?", sentences: said("1") },
          { start_seconds: 9, end_seconds: 14, text: "For a moment, yes. Then it is blue again.", sentences: said("0") }
        ]
      }
    },
    {
      uuid: uuid(2),
      title: "How to export your invoices",
      user: bob,
      recording_type: "Sent",
      helpdesk: { platform: "intercom", conversation_id: "215470012", operator_id: "5521" },
      created_at: "2025-12-30T09:12:30.000Z",
      updated_at: "2025-12-30T11:00:00.000Z",
      duration: 14,
      impressions_count: 12,
      customer: { email: "sam@customer.test" },
      video: { original: webm, processed: mp4 },
      transcript: {
        language: "en",
        processed: [{ start_seconds: 0, end_seconds: 5, text: "Go to settings, then in voices." }],
        edited: [{ start_seconds: 0, end_seconds: 5, text: "Go to Settings, then Invoices." }]
      }
    },
    {
      uuid: uuid(3),
      title: "Onboarding call with Globex",
      user: ada,
      recording_type: "Live",
      helpdesk: { platform: "hubspot", object_id: "1633480912" },
      created_at: "2025-12-29T14:00:00.000Z",
      duration: 1320,
      customer: { email: "hank@globex.test" },
      room_insights: {
        started_at: "2025-12-29T14:00:00.000Z",
        ended_at: "2025-12-29T14:22:00.000Z",
        total_participant_minutes: 41.5,
        total_unique_participants: 2,
        participants_insights: [
          {
            participant_id: "p-1",
            display_name: "Ada Lovelace",
            role: "host",
            browser: "Chrome 143",
            os: "Windows 11",
            device_type: "desktop",
            joined_at: "2025-12-29T14:00:00.000Z",
            left_at: "2025-12-29T14:22:00.000Z"
          },
          {
            participant_id: "p-2",
            display_name: "Hank",
            role: "guest",
            browser: "Safari 18",
            os: "iOS 18",
            device: "iPhone 16",
            device_type: "mobile",
            joined_at: "2025-12-29T14:02:30.000Z",
            left_at: "2025-12-29T14:22:00.000Z"
          }
        ]
      },
      video: { processed: mp4 },
      transcript: {
        language: "en",
        speaker_map: { "0": "Ada Lovelace", "1": "Hank" },
        segments: [{ start_seconds: 0, end_seconds: 3, text: "Welcome, Hank!", sentences: said("0") }]
      }
    },
    {
      // Its download is 409, and its transcript turns ready two minutes in.
      uuid: uuid(4),
      title: "Screen flickers after the update",
      user: mia,
      helpdesk: { platform: "freshdesk", ticket_id: "8801" },
      created_at: "2025-12-31T23:58:00.000Z",
      customer: { email: "pat@customer.test" },
      browser: "Firefox 146",
      os: "Ubuntu 24.04",
      transcript: {
        script: [
          { at: "PT0S", status: "processing" },
          { at: "PT2M", status: "ready" }
        ],
        language: "en",
        segments: [{ start_seconds: 0, end_seconds: 7, text: "Do you see it? There. And there again." }]
      }
    },
    {
      // As old recordings are: one text, no segments.
      uuid: uuid(5),
      title: "Password reset loops",
      user: bob,
      helpdesk: { platform: "helpscout", conversation_id: "33081" },
      created_at: "2021-03-04T10:20:00.000Z",
      duration: 61,
      impressions_count: 48,
      video: { original: { size: 2_400_000, content_type: "video/quicktime" } },
      transcript: { legacy: "I ask for a new password, I get the mail, and the link asks me to log in." }
    },
    {
      // Nobody's: members do not see it.
      uuid: uuid(6),
      title: "Chat widget covers the menu",
      user: null,
      helpdesk: { platform: "freshdesk_chat", conversation_id: "c-7719" },
      created_at: "2025-12-28T08:45:00.000Z",
      duration: 14,
      customer: { email: "ira@customer.test" },
      video: { original: webm }
    },
    {
      uuid: uuid(7),
      title: "Search ignores umlauts",
      user: mia,
      recording_type: "Sent",
      helpdesk: { platform: "jira", issue_id: "SUP-128" },
      created_at: "2025-12-27T17:30:00.000Z",
      duration: 14,
      folder: "bugs",
      console_logs: "[warn] collation not found: de",
      video: { original: webm, edited: mp4 }
    },
    {
      uuid: uuid(8),
      title: "Printer offline since Monday",
      user: bob,
      helpdesk: { platform: "freshservice", ticket_id: "INC-2041" },
      created_at: "2025-12-22T07:05:00.000Z",
      duration: 240,
      customer: { email: "lab@acme.test" },
      video: { processed: { size: 25_000_000, content_type: "video/mp4" } },
      transcript: { script: { at: "PT0S", status: "unavailable" } }
    },
    {
      uuid: uuid(9),
      title: "Release notes, read aloud",
      user: ada,
      recording_type: "Sent",
      created_at: "2025-12-20T12:00:00.000Z",
      duration: 14,
      impressions_count: 130,
      video: { processed: mp4 }
    },
    {
      // Its transcript is ready at the third read.
      uuid: uuid(10),
      title: "Refund was booked twice",
      user: bob,
      helpdesk: { platform: "zendesk", ticket_id: "4692" },
      created_at: "2025-12-19T15:45:10.000Z",
      duration: 14,
      folder: "vip",
      customer: { email: "ceo@globex.test" },
      video: { original: webm },
      transcript: {
        script: { reads: 3, status: "ready" },
        language: "en",
        segments: [{ start_seconds: 0, end_seconds: 4, text: "Here is the first booking, and here the second." }]
      }
    },
    {
      uuid: uuid(11),
      title: "Zahlung schlägt fehl: „Betrag ungültig“ 🧾",
      user: mia,
      helpdesk: { platform: "intercom", conversation_id: "215471999", user_id: "881204" },
      created_at: "2025-12-18T10:00:00.000Z",
      duration: 14,
      customer: { email: "joerg@kunde.test" },
      browser: "Edge 143",
      os: "Windows 11",
      v1_platform: "Win32",
      video: { original: webm },
      transcript: {
        language: "de",
        segments: [{ start_seconds: 0, end_seconds: 5, text: "Ich gebe den Betrag ein, und er wird rot." }]
      }
    },
    {
      // As it arrives: nothing is known yet.
      uuid: uuid(12),
      created_at: "2025-12-31T23:59:30.000Z"
    }
  ],
  sinks: [
    { id: "crm", respond: [500, 200] },
    { id: "siem", respond: [200] }
  ],
  automations: [
    { id: "bugs-to-crm", folder: "bugs", url: "sink:crm", secret: "demo-automation-secret" },
    {
      id: "vip-alert",
      folder: "vip",
      url: "sink:siem",
      method: "PUT",
      headers: { "X-Api-Key": "demo" },
      payload: '{"text": "{{recording.title}} ({{recording.customer_email}})", "seconds": {{recording.duration}}}'
    }
  ],
  audit_destinations: [
    {
      id: "siem",
      name: "SIEM",
      url: "sink:siem",
      description: "Everything that is more than routine",
      secret: "demo-audit-secret",
      filters: { severities: ["medium", "high"] }
    }
  ]
} satisfies StartDocument
