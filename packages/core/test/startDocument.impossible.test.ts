import { expect, it } from "vitest"
import {
  automation,
  bob,
  describeRows,
  destination,
  helpdesk,
  live,
  recording,
  script,
  transcript,
  video
} from "./startDocumentRefusals.ts"
import { makeWorld } from "./startDocumentWorld.ts"

const notAnInstant = "must be an ISO 8601 date and time such as 2026-01-01T09:00:00.000Z"
const ascii = "must be visible ASCII characters"

describeRows("impossible values of accounts, users, folders and sinks", [
  [{ account: { name: "" } }, "account.name: must not be blank"],
  [{ account: { id: 0 } }, "account.id: must be an integer of at least 1"],
  [{ users: [{ ...bob, email: "bob" }] }, "users[0].email: must be an e-mail address"],
  [{ users: [{ ...bob, name: " " }] }, "users[0].name: must not be blank"],
  [{ users: [{ ...bob, role: "owner" }] }, "users[0].role: must be one of admin, member"],
  [{ users: [{ ...bob, token: "two words" }] }, `users[0].token: ${ascii}`],
  [{ users: [{ ...bob, token: "käse" }] }, `users[0].token: ${ascii}`],
  [{ users: [{ ...bob, token: "" }] }, `users[0].token: ${ascii}`],
  [
    { users: [{ ...bob, notifications: { notify_first_view: "Maybe" } }] },
    "users[0].notifications.notify_first_view: must be one of Enabled, Disabled"
  ],
  [{ folders: [{ name: "x", id: "" }] }, "folders[0].id: must not be empty"],
  [{ sinks: [{ id: "a/b" }] }, "sinks[0].id: must be letters, digits, and . _ ~ - after the first"],
  [{ sinks: [{ respond: [] }] }, "sinks[0].respond: must have at least one outcome"],
  [
    { sinks: [{ respond: [200, 99, "x"] }] },
    "sinks[0].respond[1]: must be a status from 200 to 599",
    'sinks[0].respond[2]: must be a status, "timeout", "reset", "refused", "dns", "tls", or an object with a status'
  ]
])

describeRows("impossible values of recordings", [
  [recording({ uuid: "nonsense" }), "recordings[0].uuid: must be a UUID"],
  [recording({ id: 1.5 }), "recordings[0].id: must be an integer of at least 1"],
  [recording({ recording_type: "Gone" }), "recordings[0].recording_type: must be one of Received, Sent, Live"],
  [recording({ created_at: "2026-02-30T00:00:00Z" }), `recordings[0].created_at: ${notAnInstant}`],
  [recording({ updated_at: "yesterday" }), `recordings[0].updated_at: ${notAnInstant}`],
  [
    recording({ created_at: "2026-01-02T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" }),
    "recordings[0].updated_at: is before created_at"
  ],
  [recording({ duration: -1 }), "recordings[0].duration: must be an integer of at least 0, or null"],
  [recording({ customer: { email: "kim" } }), "recordings[0].customer.email: must be an e-mail address"],
  [recording({ console_errors: [() => 1] }), "recordings[0].console_errors[0]: must be JSON of at most 100 levels"],
  [
    recording({ network_errors: [JSON.parse("[".repeat(100) + "]".repeat(100))] }),
    "recordings[0].network_errors[0]: must be JSON of at most 100 levels"
  ]
])

describeRows("impossible helpdesks", [
  [
    helpdesk({ platform: "slack" }),
    "recordings[0].helpdesk.platform: must be one of zendesk, intercom, freshdesk, freshdesk_chat, freshservice, helpscout, hubspot, jira, tapedeck"
  ],
  [
    helpdesk({ platform: "app" }),
    "recordings[0].helpdesk.platform: must be one of zendesk, intercom, freshdesk, freshdesk_chat, freshservice, helpscout, hubspot, jira, tapedeck"
  ],
  [helpdesk({ ticket_id: "1" }), "recordings[0].helpdesk.ticket_id: the own app has no tickets: give a platform"],
  [
    helpdesk({ platform: "tapedeck", issue_id: "1" }),
    "recordings[0].helpdesk.issue_id: the own app has no tickets: give a platform"
  ],
  [
    helpdesk({ platform: "jira", ticket_id: "1", issue_id: "2" }),
    "recordings[0].helpdesk.ticket_id: must be the same as issue_id, which is the own id of jira (or be left out)"
  ],
  [
    helpdesk({ platform: "intercom", active_ticket_id: "1" }),
    "recordings[0].helpdesk.active_ticket_id: only zendesk has follow-up tickets"
  ]
])

describeRows("impossible rooms", [
  [recording({ room_insights: {} }), "recordings[0].room_insights: only Live recordings have room insights"],
  [
    recording({ recording_type: "Sent", room_insights: {} }),
    "recordings[0].room_insights: only Live recordings have room insights"
  ],
  [
    live({ started_at: "2026-01-01T00:01:00Z", ended_at: "2026-01-01T00:00:00Z" }),
    "recordings[0].room_insights.ended_at: is before started_at"
  ],
  [
    live({ started_at: "2026-01-01T00:00:00Z", ended_at: "2026-01-01T00:01:00Z", duration: 61 }),
    "recordings[0].room_insights.duration: must be 60, which follows from started_at and ended_at (or be left out)"
  ],
  [
    live({ duration: 60 }),
    "recordings[0].room_insights.duration: must be null, which follows from started_at and ended_at (or be left out)"
  ],
  [live({ started_at: "noon" }), `recordings[0].room_insights.started_at: ${notAnInstant}`],
  [
    live({ total_participant_minutes: -1 }),
    "recordings[0].room_insights.total_participant_minutes: must be a number of at least 0, or null"
  ],
  [
    live({
      participants_insights: [
        { participant_id: "p", joined_at: "2026-01-01T00:01:00Z", left_at: "2026-01-01T00:00:00Z" }
      ]
    }),
    "recordings[0].room_insights.participants_insights[0].left_at: is before joined_at"
  ]
])

describeRows("impossible videos", [
  [video({ base64: "AAAA", size: 3 }), "recordings[0].video.original: must have only one of base64, size and path"],
  [video({ base64: "not base64!" }), "recordings[0].video.original.base64: must be base64"],
  [video({ base64: "AAAAA" }), "recordings[0].video.original.base64: must be base64"],
  [video({ size: -1 }), "recordings[0].video.original.size: must be an integer of at least 0"],
  [
    video({ size: 1, content_type: "webm" }),
    "recordings[0].video.original.content_type: must be a media type such as video/webm"
  ],
  [
    video({ path: "clip.webm" }),
    "recordings[0].video.original.path: files are read in process and with --fixtures only: give base64 or size"
  ]
])

const step = "recordings[0].transcript.script"

describeRows("impossible transcripts", [
  [
    transcript({ language: "English, please" }),
    "recordings[0].transcript.language: must be a BCP 47 code such as en, or null"
  ],
  [
    transcript({ segments: [], processed: [] }),
    "recordings[0].transcript.segments: is the same as processed: give only one of them"
  ],
  [
    transcript({ edited: [{ start_seconds: 5, end_seconds: 4, text: "x" }] }),
    "recordings[0].transcript.edited[0].end_seconds: is before start_seconds"
  ],
  [
    transcript({ segments: [{ start_seconds: -1, text: "x" }] }),
    "recordings[0].transcript.segments[0].start_seconds: must be an integer of at least 0"
  ],
  [script({ at: 0, status: "done" }), `${step}[0].status: must be one of ready, processing, unavailable`],
  [
    script({ at: "soon", status: "ready" }),
    `${step}[0].at: must be an ISO 8601 duration such as PT30S, or a whole number of milliseconds`
  ],
  [script({ reads: 0, status: "ready" }), `${step}[0].reads: must be an integer of at least 1`],
  [script({ status: "ready" }), `${step}[0]: must have either at or reads`],
  [script({ status: "ready", at: 0, reads: 1 }), `${step}[0]: must have either at or reads`],
  [transcript({ script: { status: "ready" } }), `${step}: must have either at or reads`],
  [
    script({ at: 5, status: "processing" }, { at: 4, status: "ready" }),
    `${step}[1].at: is earlier than the step before it`
  ],
  [
    script({ reads: 2, status: "processing" }, { reads: 1, status: "ready" }),
    `${step}[1].reads: is earlier than the step before it`
  ],
  [
    script({ reads: 1, status: "processing" }, { at: 0, status: "ready" }),
    `${step}[1].at: steps by time come before steps by reads`
  ],
  [script({ at: "P3000000D", status: "ready" }), `${step}[0].at: is past the year 9999`],
  [
    script({ at: 0, status: "ready" }, { at: 1, status: "unavailable" }),
    `${step}[1].status: a transcript that is ready cannot become unavailable (R15)`
  ],
  [
    script({ at: 0, status: "processing" }, { at: 1, status: "processing" }, { at: 2, status: "ready" }),
    `${step}[1].status: a transcript that is processing cannot become processing (R15)`
  ]
])

describeRows("impossible webhooks", [
  [automation({ url: "crm.test" }), "automations[0].url: must be an absolute URL"],
  [automation({ url: "ftp://crm.test" }), "automations[0].url: must begin with https:// or http://"],
  [automation({ method: "post" }), "automations[0].method: must be one of POST, PUT, PATCH, DELETE"],
  [automation({ secret: "" }), "automations[0].secret: must not be empty"],
  [automation({ secret: "whsec_no" }), "automations[0].secret: must be base64 after whsec_"],
  [
    automation({ secret: "\ud800" }),
    "automations[0].secret: must not hold half a character (a lone surrogate)",
    "automations[0].secret: must not contain NUL or a lone surrogate"
  ],
  [
    automation({ headers: { "X Foo": "a", "X-Tapedeck-Signature": "b", "X-Bar": "c\n" } }),
    'automations[0].headers["X Foo"]: is not a valid header name',
    "automations[0].headers.X-Tapedeck-Signature: is set by the service and cannot be a custom header",
    "automations[0].headers.X-Bar: has a value with a character that a header cannot carry"
  ],
  [
    automation({ payload: '{\n  "a": {{nope}},\n  "b": "{{no}}"\n}' }),
    "automations[0].payload: line 2, column 8: there is no variable nope",
    "automations[0].payload: line 3, column 9: there is no variable no"
  ],
  [
    destination({ url: "https://a:b@siem.test" }),
    "audit_destinations[0].url: must not contain a user name or password (use an Authorization header)"
  ],
  [
    destination({ headers: { Host: "x" } }),
    "audit_destinations[0].headers.Host: is set by the service and cannot be a custom header"
  ],
  [destination({ timeout_seconds: 0 }), "audit_destinations[0].timeout_seconds: must be an integer from 1 to 300"],
  [destination({ timeout_seconds: 301 }), "audit_destinations[0].timeout_seconds: must be an integer from 1 to 300"],
  [destination({ max_retries: 11 }), "audit_destinations[0].max_retries: must be an integer from 0 to 10"],
  [destination({ max_retries: -1 }), "audit_destinations[0].max_retries: must be an integer from 0 to 10"],
  [destination({ signature: "md5" }), "audit_destinations[0].signature: must be one of hex, sha256=hex, base64"],
  [
    destination({ filters: { categories: ["security", "weather"] } }),
    "audit_destinations[0].filters.categories[1]: must be one of authentication, authorization, data_access, data_changes, admin_actions, security"
  ],
  [
    destination({ filters: { severities: ["extreme"] } }),
    "audit_destinations[0].filters.severities[0]: must be one of low, medium, high"
  ]
])

it("an unknown event type names those that there are", async () => {
  const [problem] = await makeWorld().problems(destination({ filters: { event_types: ["user.slept"] } }))
  expect(problem).toMatch(/^audit_destinations\[0\]\.filters\.event_types\[0\]: must be one of user\.login, /)
})

it("a secret or a token is in no message", async () => {
  const problems = await makeWorld().problems({
    users: [
      { ...bob, token: "hush hush" },
      { email: "a@b", name: "A", token: "hush" },
      { email: "b@b", name: "B", token: "hush" }
    ],
    ...automation({ secret: "whsec_hush!", headers: { "X-Key": "hush\n" } })
  })
  expect(problems).toHaveLength(4)
  expect(problems.join()).not.toContain("hush")
})
