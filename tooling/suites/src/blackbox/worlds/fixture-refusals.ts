import { describe, expect, test } from "vitest"
import { uuid } from "../../support/acme.ts"
import { type Emulator, pathsOf, refusalOf } from "../../support/emulator.ts"
import { blackbox, type StartDocument } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** Start documents that are refused: each fault with its path in the document. */

type Row = [path: string, document: StartDocument]

const folders = [{ id: "f1", name: "VIP" }]
const sinks = [{ id: "crm", respond: [200] }]
const user = { email: "x@acme.test", name: "X" }
const automation = (fields: StartDocument) => ({
  folders,
  sinks,
  automations: [{ folder: "f1", url: "sink:crm", ...fields }]
})
const destination = (fields: StartDocument) => ({
  sinks,
  audit_destinations: [{ name: "SIEM", url: "sink:crm", ...fields }]
})
const recording = (fields: StartDocument) => ({ recordings: [fields] })
const video = (original: StartDocument) => recording({ video: { original } })
const transcript = (fields: StartDocument) => recording({ transcript: fields })

const missing: ReadonlyArray<Row> = [
  ["users[0].email", { users: [{ name: "X" }] }],
  ["users[0].name", { users: [{ email: "x@acme.test" }] }],
  ["folders[0].name", { folders: [{ id: "f1" }] }],
  ["audit_destinations[0].name", { audit_destinations: [{ url: "https://siem.test" }] }],
  ["audit_destinations[0].url", { audit_destinations: [{ name: "SIEM" }] }],
  ["automations[0].url", { folders, automations: [{ folder: "f1" }] }],
  ["automations[0].folder", { automations: [{ url: "https://crm.test" }] }]
]

const unknownKeys: ReadonlyArray<Row> = [
  ["colour", { colour: "red" }],
  ["account.plan", { account: { name: "Acme", plan: "top" } }],
  ["accounts[0].plan", { accounts: [{ name: "Acme", plan: "top" }] }],
  ["users[0].nickname", { users: [{ ...user, nickname: "x" }] }],
  ["users[0].notifications.notify_never", { users: [{ ...user, notifications: { notify_never: "Enabled" } }] }],
  ["recordings[0].titel", recording({ titel: "x" })],
  ["recordings[0].helpdesk.ticket", recording({ helpdesk: { platform: "jira", ticket: "1" } })],
  ["recordings[0].technical_details.browser", recording({ technical_details: { browser: "x" } })],
  ["recordings[0].customer.name", recording({ customer: { name: "x" } })],
  ["recordings[0].video.copy", recording({ video: { copy: null } })],
  ["recordings[0].video.original.mime", video({ size: 1, mime: "video/mp4" })],
  ["recordings[0].transcript.text", transcript({ text: "x" })],
  [
    "recordings[0].transcript.segments[0].speaker",
    transcript({ segments: [{ start_seconds: 0, end_seconds: 1, text: "x", speaker: 0 }] })
  ],
  ["recordings[0].room_insights.rooms", recording({ recording_type: "Live", room_insights: { rooms: 1 } })],
  ["folders[0].colour", { folders: [{ name: "VIP", colour: "red" }] }],
  ["sinks[0].reply", { sinks: [{ id: "crm", respond: [200], reply: 1 }] }],
  ["automations[0].verb", automation({ verb: "POST" })],
  ["audit_destinations[0].retries", destination({ retries: 1 })],
  ["audit_destinations[0].filters.colours", destination({ filters: { colours: [] } })],
  ["config.colour", { config: { colour: "red" } }]
]

const references: ReadonlyArray<Row> = [
  ["recordings[0].user", recording({ user: "no@one.test" })],
  ["recordings[0].folder", recording({ folder: "none" })],
  ["recordings[0].account", recording({ account: 99 })],
  ["users[0].account", { users: [{ ...user, account: 99 }] }],
  ["folders[0].account", { folders: [{ name: "VIP", account: 99 }] }],
  ["automations[0].folder", automation({ folder: "none" })],
  ["automations[0].url", automation({ url: "sink:none" })],
  ["audit_destinations[0].url", destination({ url: "sink:none" })],
  ["audit_destinations[0].account", destination({ account: 99 })]
]

/** Two accounts, the user and the folder of the first. */
const apart = {
  accounts: [
    { id: 1, name: "A" },
    { id: 2, name: "B" }
  ],
  users: [user],
  folders
}
const elsewhere: ReadonlyArray<Row> = [
  ["recordings[0].user", { ...apart, recordings: [{ account: 2, user: user.email }] }],
  ["recordings[0].folder", { ...apart, recordings: [{ account: 2, folder: "f1" }] }]
]

const taken: ReadonlyArray<Row> = [
  ["users[1].email", { users: [user, { ...user, name: "Y" }] }],
  ["users[1].email", { users: [user, { email: "X@ACME.TEST", name: "Y" }] }],
  [
    "users[1].id",
    {
      users: [
        { ...user, id: 1 },
        { email: "y@acme.test", name: "Y", id: 1 }
      ]
    }
  ],
  [
    "users[1].token",
    {
      users: [
        { ...user, token: "t" },
        { email: "y@acme.test", name: "Y", token: "t" }
      ]
    }
  ],
  [
    "accounts[1].id",
    {
      accounts: [
        { id: 1, name: "A" },
        { id: 1, name: "B" }
      ]
    }
  ],
  ["recordings[1].uuid", { recordings: [{ uuid: uuid(1) }, { uuid: uuid(1) }] }],
  [
    "recordings[1].uuid",
    { recordings: [{ uuid: "abcdef01-0000-4000-8000-000000000001" }, { uuid: "ABCDEF01-0000-4000-8000-000000000001" }] }
  ],
  ["recordings[1].id", { recordings: [{ id: 1 }, { id: 1 }] }],
  ["folders[1].id", { folders: [...folders, ...folders] }],
  ["sinks[1].id", { sinks: [...sinks, ...sinks] }],
  [
    "automations[1].id",
    { folders, sinks, automations: [1, 2].map(() => ({ id: "a1", folder: "f1", url: "sink:crm" })) }
  ],
  [
    "audit_destinations[1].id",
    { sinks, audit_destinations: [1, 2].map(() => ({ id: "d1", name: "S", url: "sink:crm" })) }
  ]
]

const impossible: ReadonlyArray<Row> = [
  ["users[0].email", { users: [{ email: "no-address", name: "X" }] }],
  ["users[0].role", { users: [{ ...user, role: "owner" }] }],
  ["users[0].token", { users: [{ ...user, token: "two words" }] }],
  ["users[0].token", { users: [{ ...user, token: "käse" }] }],
  ["users[0].token", { users: [{ ...user, token: "" }] }],
  ["users[0].active", { users: [{ ...user, active: "yes" }] }],
  ["users[0].id", { users: [{ ...user, id: "one" }] }],
  ["users[0].notifications.notify_first_view", { users: [{ ...user, notifications: { notify_first_view: "Maybe" } }] }],
  ["recordings[0].uuid", recording({ uuid: "nonsense" })],
  ["recordings[0].title", recording({ title: 5 })],
  ["recordings[0].recording_type", recording({ recording_type: "Gone" })],
  ["recordings[0].helpdesk.platform", recording({ helpdesk: { platform: "slack" } })],
  ["recordings[0].created_at", recording({ created_at: "yesterday" })],
  // R22: only on Live recordings.
  ["recordings[0].room_insights", recording({ recording_type: "Sent", room_insights: { started_at: null } })],
  ["recordings[0].duration", recording({ duration: -1 })],
  ["recordings[0].duration", recording({ duration: 1.5 })],
  ["recordings[0].impressions_count", recording({ impressions_count: -1 })],
  ["recordings[0].customer.email", recording({ customer: { email: "no-address" } })],
  ["recordings[0].video.original", video({ base64: "AAAA", size: 3 })],
  ["recordings[0].video.original.base64", video({ base64: "not base64!" })],
  ["recordings[0].video.original.size", video({ size: -1 })],
  ["recordings[0].video.original.path", video({ path: "/etc/hostname" })],
  ["recordings[0].transcript.segments[0].text", transcript({ segments: [{ start_seconds: 0, end_seconds: 1 }] })],
  [
    "recordings[0].transcript.segments[0].start_seconds",
    transcript({ segments: [{ start_seconds: -1, end_seconds: 1, text: "x" }] })
  ],
  ["recordings[0].transcript.script[0].status", transcript({ script: [{ at: "PT0S", status: "done" }] })],
  ["recordings[0].transcript.script[0].at", transcript({ script: [{ at: "soon", status: "ready" }] })],
  ["recordings[0].transcript.script[0].reads", transcript({ script: [{ reads: 0, status: "ready" }] })],
  ["recordings[0].transcript.speaker_map.0", transcript({ speaker_map: { "0": 5 } })],
  ["sinks[0].respond[0]", { sinks: [{ id: "crm", respond: ["explode"] }] }],
  ["automations[0].url", automation({ url: "crm.test/hook" })],
  ["automations[0].url", automation({ url: "ftp://crm.test/hook" })],
  ["automations[0].url", automation({ url: "http://crm.test/hook" })],
  ["automations[0].method", automation({ method: "GET" })],
  ["automations[0].method", automation({ method: "post" })],
  ["automations[0].payload", automation({ payload: "{{nope}}" })],
  ["automations[0].enabled", automation({ enabled: "yes" })],
  ["audit_destinations[0].url", destination({ url: "http://siem.test" })],
  ["audit_destinations[0].timeout_seconds", destination({ timeout_seconds: 0 })],
  ["audit_destinations[0].timeout_seconds", destination({ timeout_seconds: 301 })],
  ["audit_destinations[0].max_retries", destination({ max_retries: -1 })],
  ["audit_destinations[0].max_retries", destination({ max_retries: 11 })],
  ["audit_destinations[0].signature", destination({ signature: "md5" })],
  ["audit_destinations[0].filters.severities[0]", destination({ filters: { severities: ["extreme"] } })],
  ["audit_destinations[0].filters.categories[0]", destination({ filters: { categories: ["weather"] } })]
]

/** W8: custom headers that are refused. */
const badHeaders: ReadonlyArray<[name: string, value: string]> = [
  ["Host", "evil.test"],
  ["host", "evil.test"],
  ["Content-Length", "5"],
  ["Transfer-Encoding", "chunked"],
  ["Connection", "close"],
  ["X-Tapedeck-Signature", "sha256=00"],
  ["x-tapedeck-signature", "sha256=00"],
  ["webhook-id", "1"],
  ["webhook-timestamp", "1"],
  ["Webhook-Signature", "v1,"],
  ["bad name", "x"],
  ["bad:name", "x"],
  ["", "x"],
  ["X-Value", "line\r\nX-Injected: yes"],
  ["X-Value", "nul\u0000"]
]

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Start documents that are refused", () => {
    const refuses = async (path: string, document: StartDocument) => {
      const answer = await emulator.create(document)
      expect(pathsOf(answer), String(answer)).toEqual([path])
    }

    describe("missing required keys", () => {
      test.each(missing)("are reported at %s", refuses)
    })
    describe("unknown keys", () => {
      test.each(unknownKeys)("are reported at %s", refuses)
    })
    describe("unknown references", () => {
      test.each(references)("are reported at %s", refuses)
    })
    describe("references into another account", () => {
      test.each(elsewhere)("are reported at %s", refuses)
    })
    describe("ids that are used twice", () => {
      test.each(taken)("are reported at %s", refuses)
    })
    describe("impossible values", () => {
      test.each(impossible)("are reported at %s: %j", refuses)
    })

    test("plain http:// is refused when it is saved, except on loopback and for hosts in allow_receivers", async () => {
      const url = "http://crm.test/hook"
      await refuses("automations[0].url", automation({ url }))
      await refuses("audit_destinations[0].url", destination({ url }))
      for (const document of [
        automation({ url: "http://127.0.0.1:9/hook" }),
        { ...automation({ url }), config: { allow_receivers: ["crm.test"] } }
      ]) {
        expect((await emulator.create(document)).status).toBe(201)
      }
    })

    describe("W8: custom headers", () => {
      test.each(badHeaders)("refuse %j: %j", async (name, value) => {
        for (const [key, document] of [
          ["automations", automation({ headers: { [name]: value } })],
          ["audit_destinations", destination({ headers: { [name]: value } })]
        ] as const) {
          const paths = pathsOf(await emulator.create(document))
          expect(paths.length).toBe(1)
          expect(paths[0]?.startsWith(`${key}[0].headers`), String(paths)).toBe(true)
        }
      })

      test("include the name of a signature header, which is refused", async () => {
        const document = destination({ headers: { "X-Webhook-Signature": "00" } })
        expect(pathsOf(await emulator.create(document))[0]).toMatch(/^audit_destinations\[0\]\.headers/)
      })
    })

    test("all errors are reported at once, each with its path, and a reference names the unknown id", async () => {
      const answer = await emulator.create({
        users: [{ email: "no-address", nickname: "x" }],
        recordings: [{ user: "no@one.test" }, { titel: 1, duration: -1 }],
        automations: [{ folder: "none", url: "sink:none", method: "GET" }]
      })
      const { errors } = refusalOf(answer)
      expect(errors.map(({ path }) => path).toSorted()).toEqual([
        "automations[0].folder",
        "automations[0].method",
        "automations[0].url",
        "recordings[0].user",
        "recordings[1].duration",
        "recordings[1].titel",
        "users[0].email",
        "users[0].name",
        "users[0].nickname"
      ])
      expect(errors.find(({ path }) => path === "recordings[0].user")?.message).toMatch(/^no such user/)
    })

    test("a value that is not an object is refused", async () => {
      for (const fixtures of [[], "text", 5]) {
        refusalOf(await emulator.fetch("/_emulator/worlds", { method: "POST", json: { fixtures } }))
      }
      expect(pathsOf(await emulator.create({ users: {} }))).toEqual(["users"])
      expect(pathsOf(await emulator.create({ recordings: ["x"] }))).toEqual(["recordings[0]"])
    })
  })
