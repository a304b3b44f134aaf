import { describe, expect, it } from "vitest"
import { MAX_VALUES_WITH_ALL_PROBLEMS } from "../src/startDocument/problems.ts"
import {
  automation,
  bob,
  describeRows,
  destination,
  folders,
  helpdesk,
  live,
  recording,
  refuses,
  script,
  sinks,
  transcript,
  video
} from "./startDocumentRefusals.ts"
import { makeWorld } from "./startDocumentWorld.ts"

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

const step = "recordings[0].transcript.script"

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

  it("of 50,000 values comes at once, in order; of more values the first problem comes alone", async () => {
    const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]))
    // The document itself is a value too.
    const most = MAX_VALUES_WITH_ALL_PROBLEMS - 1
    const problems = await makeWorld().problems(unknown(most))
    expect(problems).toHaveLength(most)
    expect([problems[0], problems.at(-1)]).toEqual(["k0: unknown key", `k${most - 1}: unknown key`])
    await refuses([unknown(most + 1), "k0: unknown key"])
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
