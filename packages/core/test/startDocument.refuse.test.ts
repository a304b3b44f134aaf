import { describe, expect, it } from "vitest"
import type { StartDocumentOptions } from "../src/startDocument/context.ts"
import { makeWorld } from "./startDocumentWorld.ts"

type Row = readonly [document: unknown, ...problems: ReadonlyArray<string>]

const bob = { email: "bob@acme.test", name: "Bob" }
const folders = [{ id: "f1", name: "VIP" }]
const sinks = [{ id: "crm" }]
const recording = (fields: object) => ({ recordings: [fields] })
const live = (room_insights: object) => recording({ recording_type: "Live", room_insights })
const helpdesk = (fields: object) => recording({ helpdesk: fields })
const video = (original: unknown) => recording({ video: { original } })
const transcript = (fields: object) => recording({ transcript: fields })
const script = (...steps: ReadonlyArray<unknown>) => transcript({ script: steps })
const automation = (fields: object) => ({ folders, sinks, automations: [{ folder: "f1", url: "sink:crm", ...fields }] })
const destination = (fields: object) => ({ sinks, audit_destinations: [{ name: "SIEM", url: "sink:crm", ...fields }] })

const refuses = async ([document, ...problems]: Row, options?: StartDocumentOptions) =>
  expect(await makeWorld().problems(document, options)).toEqual(problems)

const describeRows = (name: string, rows: ReadonlyArray<Row>) =>
  describe(name, () => {
    it.each(rows.map((row) => [row[1] ?? "", row] as const))("%s", (_, row) => refuses(row))
  })

describeRows("what is no document", [
  [null, "a start document must be an object"],
  [[], "a start document must be an object"],
  ["users", "a start document must be an object"],
  [undefined, "a start document must be an object"]
])

describeRows("unknown keys, at every level", [
  [{ colour: "red" }, "colour: unknown key"],
  [{ user: [] }, "user: unknown key (did you mean users?)"],
  [{ account: { plan: "top" } }, "account.plan: unknown key"],
  [{ accounts: [{ apiAccess: true }] }, "accounts[0].apiAccess: unknown key (did you mean api_access?)"],
  [{ users: [{ ...bob, created_at: "x" }] }, "users[0].created_at: unknown key"],
  [{ users: [{ ...bob, notifications: { notify_new: "Enabled" } }] }, "users[0].notifications.notify_new: unknown key"],
  [recording({ titel: "x" }), "recordings[0].titel: unknown key (did you mean title?)"],
  [helpdesk({ ticketId: "1" }), "recordings[0].helpdesk.ticketId: unknown key (did you mean ticket_id?)"],
  [recording({ technical_details: { cpu: "" } }), "recordings[0].technical_details.cpu: unknown key"],
  [recording({ customer: { name: "" } }), "recordings[0].customer.name: unknown key"],
  [recording({ video: { copy: null } }), "recordings[0].video.copy: unknown key"],
  [video({ mime: "x" }), "recordings[0].video.original.mime: unknown key"],
  [transcript({ text: "x" }), "recordings[0].transcript.text: unknown key"],
  [
    transcript({ segments: [{ start_seconds: 0, text: "x", speaker: 0 }] }),
    "recordings[0].transcript.segments[0].speaker: unknown key"
  ],
  [script({ at: 0, status: "ready", after: 1 }), "recordings[0].transcript.script[0].after: unknown key"],
  [live({ rooms: 1 }), "recordings[0].room_insights.rooms: unknown key"],
  [
    live({ participants_insights: [{ participant_id: "p", name: "x" }] }),
    "recordings[0].room_insights.participants_insights[0].name: unknown key"
  ],
  [{ folders: [{ name: "x", "a b": 1 }] }, 'folders[0]["a b"]: unknown key'],
  [{ sinks: [{ url: "x" }] }, "sinks[0].url: unknown key"],
  [{ sinks: [{ respond: [{ status: 200, delay: 1 }] }] }, "sinks[0].respond[0].delay: unknown key"],
  [automation({ verb: "POST" }), "automations[0].verb: unknown key"],
  [destination({ retries: 1 }), "audit_destinations[0].retries: unknown key"],
  [destination({ filters: { category: [] } }), "audit_destinations[0].filters.category: unknown key"]
])

describeRows("what is required is missing", [
  [{ users: [{}] }, "users[0].email: is required", "users[0].name: is required"],
  [{ folders: [{}] }, "folders[0].name: is required"],
  [{ automations: [{}] }, "automations[0].folder: is required", "automations[0].url: is required"],
  [{ audit_destinations: [{}] }, "audit_destinations[0].name: is required", "audit_destinations[0].url: is required"],
  [
    transcript({ segments: [{}] }),
    "recordings[0].transcript.segments[0].start_seconds: is required",
    "recordings[0].transcript.segments[0].text: is required"
  ],
  [script({ at: 0 }), "recordings[0].transcript.script[0].status: is required"],
  [
    live({ participants_insights: [{}] }),
    "recordings[0].room_insights.participants_insights[0].participant_id: is required"
  ]
])

describeRows("wrong types", [
  [{ account: [] }, "account: must be an object"],
  [{ accounts: {} }, "accounts: must be a list"],
  [{ users: {} }, "users: must be a list"],
  [{ users: ["bob"] }, "users[0]: must be an object"],
  [{ recordings: null }, "recordings: must be a list"],
  [{ users: [{ ...bob, name: 5 }] }, "users[0].name: must be a string"],
  [{ users: [{ ...bob, active: "yes" }] }, "users[0].active: must be true or false"],
  [{ users: [{ ...bob, id: "1" }] }, "users[0].id: must be an integer of at least 1"],
  [recording({ title: 5 }), "recordings[0].title: must be a string or null"],
  [recording({ user: 5 }), "recordings[0].user: must be a string or null"],
  [recording({ folder: 5 }), "recordings[0].folder: must be a string or null"],
  [recording({ duration: "5" }), "recordings[0].duration: must be an integer of at least 0, or null"],
  [recording({ impressions_count: null }), "recordings[0].impressions_count: must be an integer of at least 0"],
  [recording({ console_errors: "x" }), "recordings[0].console_errors: must be a list or null"],
  [recording({ helpdesk: null }), "recordings[0].helpdesk: must be an object"],
  [recording({ video: [] }), "recordings[0].video: must be an object"],
  [video("x"), "recordings[0].video.original: must be an object or null"],
  [recording({ transcript: "x" }), "recordings[0].transcript: must be an object or null"],
  [recording({ room_insights: [] }), "recordings[0].room_insights: must be an object or null"],
  [transcript({ edited: {} }), "recordings[0].transcript.edited: must be a list or null"],
  [transcript({ script: "ready" }), "recordings[0].transcript.script: must be a list of steps, or one step"],
  [transcript({ speaker_map: { "0": 5 } }), "recordings[0].transcript.speaker_map.0: must be a string"],
  [transcript({ speaker_map: [] }), "recordings[0].transcript.speaker_map: must be an object"],
  [
    transcript({ segments: [{ start_seconds: 0, text: "x", sentences: ["x"] }] }),
    "recordings[0].transcript.segments[0].sentences[0]: must be JSON of at most 100 levels"
  ],
  [{ sinks: [{ respond: 200 }] }, "sinks[0].respond: must be a list"],
  [automation({ payload: {} }), "automations[0].payload: must be a string or null"],
  [automation({ headers: { "X-Foo": 5 } }), "automations[0].headers.X-Foo: must be a string"],
  [automation({ headers: "X-Foo: 5" }), "automations[0].headers: must be an object"],
  [destination({ secret: 5 }), "audit_destinations[0].secret: must be a string or null"],
  [destination({ filters: [] }), "audit_destinations[0].filters: must be an object"]
])

describeRows("unknown references", [
  [recording({ user: "bob@acme.test" }), "recordings[0].user: no such user bob@acme.test"],
  [recording({ folder: "f9" }), "recordings[0].folder: no such folder f9"],
  [recording({ account: 9 }), "recordings[0].account: no such account 9"],
  [{ users: [{ ...bob, account: 9 }] }, "users[0].account: no such account 9"],
  [{ folders: [{ name: "VIP", account: 9 }] }, "folders[0].account: no such account 9"],
  [destination({ account: 9 }), "audit_destinations[0].account: no such account 9"],
  [automation({ folder: "f9" }), "automations[0].folder: no such folder f9"],
  [automation({ url: "sink:siem" }), "automations[0].url: no such sink siem"],
  [destination({ url: "sink:" }), "audit_destinations[0].url: no such sink "],
  [
    {
      accounts: [{ id: 1 }, { id: 2 }],
      users: [{ ...bob, account: 2 }],
      folders: [{ id: "f2", name: "F", account: 2 }],
      recordings: [{ user: "bob@acme.test", folder: "f2" }]
    },
    "recordings[0].user: bob@acme.test is a user of another account",
    "recordings[0].folder: f2 is in another account"
  ]
])

const uuid = "7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"

describeRows("given twice", [
  [{ account: {}, accounts: [] }, "accounts: give either account or accounts"],
  [{ accounts: [{ id: 1 }, { id: 1 }] }, "accounts[1].id: the same id as accounts[0].id"],
  [{ users: [bob, { ...bob, email: "BOB@acme.test" }] }, "users[1].email: the same e-mail address as users[0].email"],
  [
    {
      users: [
        { ...bob, id: 1 },
        { email: "a@b", name: "A", id: 1 }
      ]
    },
    "users[1].id: the same id as users[0].id"
  ],
  [
    {
      users: [
        { ...bob, token: "t" },
        { email: "a@b", name: "A", token: "t" }
      ]
    },
    "users[1].token: the same token as users[0].token"
  ],
  [{ recordings: [{ uuid }, { uuid: uuid.toUpperCase() }] }, "recordings[1].uuid: the same UUID as recordings[0].uuid"],
  [{ recordings: [{ id: 3 }, {}, { id: 3 }] }, "recordings[2].id: the same id as recordings[0].id"],
  [{ folders: [...folders, ...folders] }, "folders[1].id: the same id as folders[0].id"],
  [{ sinks: [...sinks, ...sinks] }, "sinks[1].id: the same id as sinks[0].id"],
  [
    { ...automation({}), automations: [1, 2].map(() => ({ id: "a1", folder: "f1", url: "sink:crm" })) },
    "automations[1].id: the same id as automations[0].id"
  ],
  [
    { sinks, audit_destinations: [1, 2].map(() => ({ id: "d1", name: "S", url: "sink:crm" })) },
    "audit_destinations[1].id: the same id as audit_destinations[0].id"
  ]
])

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
  [automation({ secret: "\ud800" }), "automations[0].secret: must not hold half a character (a lone surrogate)"],
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

describe("what depends on where the document is loaded", () => {
  const server: StartDocumentOptions = { vendor: "Tapedeck", allowHttp: false }

  it("a server has no sinks, and webhooks by HTTPS only", async () => {
    await refuses([{ sinks: [] }, "sinks: only the emulator has sinks"], server)
    await refuses(
      [
        { folders, automations: [{ folder: "f1", url: "http://localhost/hook" }] },
        "automations[0].url: must begin with https://"
      ],
      server
    )
    await refuses(
      [{ folders, automations: [{ folder: "f1", url: "sink:crm" }] }, "automations[0].url: no such sink crm"],
      server
    )
  })

  it("plain HTTP may be for some receivers only", async () => {
    const options = { ...server, allowHttp: (url: string) => url.startsWith("http://localhost") }
    const urls = ["http://localhost:1/hook", "http://crm.test/hook", "https://crm.test/hook"]
    await refuses(
      [
        { folders, automations: urls.map((url) => ({ folder: "f1", url })) },
        "automations[1].url: must begin with https:// (http:// is for receivers on loopback and in allow_receivers)"
      ],
      options
    )
  })

  it("the vendor word is the own app's platform, and names a header that is refused", async () => {
    await refuses(
      [
        {
          ...helpdesk({ platform: "tapedeck" }),
          folders,
          automations: [
            {
              folder: "f1",
              url: "https://a.test",
              headers: { "x-birdseye-signature": "x", "X-Tapedeck-Signature": "x" }
            }
          ]
        },
        "recordings[0].helpdesk.platform: must be one of zendesk, intercom, freshdesk, freshdesk_chat, freshservice, helpscout, hubspot, jira, birdseye",
        "automations[0].headers.x-birdseye-signature: is set by the service and cannot be a custom header"
      ],
      { ...server, vendor: "Birdseye" }
    )
    await refuses([helpdesk({ platform: "birdseye" })], { ...server, vendor: "Birdseye" })
  })

  it("a file that cannot be read", async () => {
    const readFile = () => {
      throw new Error("ENOENT: no such file")
    }
    await refuses(
      [video({ path: "clip.webm" }), "recordings[0].video.original.path: cannot be read: ENOENT: no such file"],
      { ...server, readFile }
    )
  })

  it("config is the world's, and comes before the document is loaded", async () => {
    await refuses([{ config: { page_size: 3 } }, "config: can only be set when a world starts"])
  })
})

describe("everything at once", () => {
  it("in the order of the document, structure and references together", async () => {
    await refuses([
      {
        recordings: [
          { user: "nobody@acme.test", title: 5, folder: "f9" },
          {
            transcript: {
              script: [
                { at: 0, status: "ready" },
                { at: 1, status: "unavailable" }
              ],
              langauge: "en"
            }
          },
          "x"
        ],
        users: [
          { email: "bob", nickname: "x" },
          { ...bob, email: "BOB" }
        ],
        automations: [{ folder: "none", url: "sink:none", method: "GET", payload: "{{x}}" }]
      },
      "recordings[0].user: no such user nobody@acme.test",
      "recordings[0].title: must be a string or null",
      "recordings[0].folder: no such folder f9",
      "recordings[1].transcript.script[1].status: a transcript that is ready cannot become unavailable (R15)",
      "recordings[1].transcript.langauge: unknown key (did you mean language?)",
      "recordings[2]: must be an object",
      "users[0].email: must be an e-mail address",
      "users[0].nickname: unknown key",
      "users[0].name: is required",
      "users[1].email: must be an e-mail address",
      "automations[0].folder: no such folder none",
      "automations[0].url: no such sink none",
      "automations[0].method: must be one of POST, PUT, PATCH, DELETE",
      "automations[0].payload: line 1, column 1: there is no variable x"
    ])
  })

  it("a step that was refused says nothing of the moves around it", async () => {
    await refuses([
      script({ at: 0, status: "processing" }, { at: 1, status: "done" }, { at: 2, status: "unavailable" }),
      `${step}[1].status: must be one of ready, processing, unavailable`
    ])
  })

  it("a value that holds itself has an end", async () => {
    const endless: Array<unknown> = []
    endless.push(endless)
    await refuses([
      recording({ console_errors: endless }),
      "recordings[0].console_errors[0]: must be JSON of at most 100 levels"
    ])
    await refuses([recording({ title: endless }), "recordings[0].title: must be a string or null"])
  })
})
