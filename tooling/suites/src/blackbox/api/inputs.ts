import { beforeAll, describe, expect, test } from "vitest"
import { acme, ada, uuid } from "../../support/acme.ts"
import type { LimitsDocument } from "../../support/documentedLimits.ts"
import { blackbox, bodyOf, type Running, refusalV1, refusalV2, type Target } from "../../support/target.ts"
import { onStores } from "../targets.ts"

import { limitRecords } from "./limits.ts"

/** What a body or a query may hold: no key is ignored silently, and no text that a store cannot keep gets in. */

const known = uuid(1)

const document = acme({
  recordings: [{ uuid: known, user: "ada@acme.test", transcript: { segments: [{ start_seconds: 0, text: "Hi" }] } }],
  folders: [{ id: "vip", name: "VIP", account: 1 }],
  automations: [{ id: "crm", folder: "vip", url: "https://crm.example.com/hook", secret: "k" }],
  audit_destinations: [{ id: "siem", account: 1, name: "SIEM", url: "https://siem.example.com/" }]
})

interface Filed {
  readonly uuid: string
  readonly folder_id: string | null
}

const unknownKeys: ReadonlyArray<[method: string, path: string, json: Record<string, unknown>, named: string]> = [
  ["POST", "/folders", { name: "New", nmae: 1 }, "nmae: unknown key (did you mean name?)"],
  ["PATCH", "/folders/none", { title: "x" }, "title: unknown key"],
  ["POST", "/recordings", { folder: "vip" }, "folder: unknown key (did you mean folder_id?)"],
  ["POST", "/recordings", { helpdesk: { ticketId: "1" } }, "helpdesk.ticketId: unknown key (did you mean ticket_id?)"],
  ["PATCH", `/recordings/${known}`, { titel: "x" }, "titel: unknown key (did you mean title?)"],
  ["PUT", `/recordings/${known}/folder`, { folder: "vip" }, "folder: unknown key (did you mean folder_id?)"],
  ["PUT", `/recordings/${known}/transcript`, { segments: [{ start: 0, text: "x" }] }, "segments[0].start: unknown key"],
  ["POST", `/recordings/${known}/transcript/request`, { force: true }, "force: unknown key: this takes no body"],
  ["POST", "/automations", { folder: "vip" }, "folder: unknown key (did you mean folder_id?)"],
  ["PATCH", "/automations/none", { secret: "k" }, "secret: unknown key"],
  ["POST", "/automations/none/secret/rotate", { overlap: 1 }, "overlap: unknown key"],
  ["POST", "/automations/none/test", { url: "x" }, "url: unknown key: this takes no body"],
  ["PATCH", "/audit-destinations/none", { filters: { category: [] } }, "filters.category: unknown key"],
  ["POST", "/users", { email: "x@acme.test", name: "X", admin: true }, "admin: unknown key"],
  ["PATCH", "/users/99", { notifications: { all: "Enabled" } }, "notifications.all: unknown key"],
  ["PATCH", "/account", { apiAccess: false }, "apiAccess: unknown key (did you mean api_access?)"],
  ["POST", "/sign-in", { email: "x@acme.test", password: "y", remember: true }, "remember: unknown key"],
  ["POST", "/sign-in/forgotten", { mail: "x@acme.test" }, "mail: unknown key (did you mean email?)"],
  ["POST", "/sign-in/link", { token: "x", pasword: "y" }, "pasword: unknown key (did you mean password?)"]
]

const nul = "a\u0000b"
const loneSurrogate = "a\ud800b"

/** A body with text that no store keeps, and the field that the refusal names. */
const unstorable: ReadonlyArray<
  [method: string, path: string, body: (text: string) => Record<string, unknown>, field: string]
> = [
  ["POST", "/folders", (name) => ({ name }), "name"],
  ["PATCH", "/folders/vip", (name) => ({ name }), "name"],
  ["POST", "/recordings", (title) => ({ title }), "title"],
  ["POST", "/recordings", (text) => ({ console_errors: [{ [text]: 1 }] }), "console_errors[0]"],
  ["POST", "/recordings", (text) => ({ helpdesk: { ticket_id: text } }), "helpdesk.ticket_id"],
  ["PATCH", `/recordings/${known}`, (summary) => ({ summary }), "summary"],
  ["PUT", `/recordings/${known}/folder`, (text) => ({ folder_id: text }), "folder_id"],
  [
    "PUT",
    `/recordings/${known}/transcript`,
    (text) => ({ segments: [{ start_seconds: 0, text }] }),
    "segments[0].text"
  ],
  ["POST", "/automations", (text) => ({ folder_id: text, url: "https://crm.example.com/" }), "folder_id"],
  ["PATCH", "/automations/crm", (payload) => ({ payload: JSON.stringify(payload) + payload }), "payload"],
  ["PATCH", "/audit-destinations/siem", (description) => ({ description }), "description"],
  ["POST", "/users", (name) => ({ email: "new@acme.test", name }), "name"],
  ["PATCH", "/account", (name) => ({ name }), "name"]
]

const sameOrigin = { "sec-fetch-site": "same-origin" }

export const targets = onStores

export const suite = (target: Target): void =>
  blackbox(target, "Inputs: unknown keys, and text that no store keeps", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start(document)
    }, 60_000)
    const ask = (method: string, path: string, json?: unknown, token = ada) =>
      running.fetch(`/api/settings${path}`, {
        method,
        token,
        ...(json !== undefined && { json }),
        ...(path.startsWith("/sign-in") && { headers: sameOrigin })
      })

    describe("unknown keys of the settings API", () => {
      test.each(unknownKeys)("are 400 before 404, each with the nearest known key: %s %s %j", async (...row) => {
        const [method, path, json, named] = row
        expect(refusalV2(await ask(method, path, json), 400)).toContain(named)
      })

      test("are all named, up to twenty", async () => {
        const many = Object.fromEntries(Array.from({ length: 22 }, (_, n) => [`key_${n}`, n]))
        const message = refusalV2(await ask("POST", "/folders", { name: "New", ...many }), 400)
        expect(message.match(/unknown key/g)).toHaveLength(20)
        expect(message).toMatch(/; and 2 more$/)
      })

      test.each([
        ["GET", "/folders?pgae=1", "pgae is not a query parameter here (did you mean page?)"],
        ["GET", "/folders/vip?page=1", "page is not a query parameter here"],
        ["GET", "/recordings?user=1", "user is not a query parameter here"],
        ["DELETE", "/folders/none?force=1", "force is not a query parameter here"],
        ["POST", "/sign-in?next=1", "next is not a query parameter here"]
      ])("are 400 in a query too: %s %s", async (method, path, named) => {
        expect(refusalV2(await ask(method, path), 400)).toBe(named)
      })

      test("R11: are ignored by v2, in bodies and queries", async () => {
        const change = { recording: { summary: "New", other: 1 }, other: 1 }
        const path = `/api/v2/recordings/${known}?other=1`
        expect((await running.fetch(path, { method: "PATCH", token: ada, json: change })).status).toBe(200)
      })
    })

    describe("ids in bodies", () => {
      const site = { name: "Shop", origins: ["https://shop.example.com"] }
      const automation = { url: "https://crm.example.com/" }
      test.each([
        ["POST", "/recordings", "folder_id", {}],
        ["POST", "/captures", "folder_id", {}],
        ["POST", "/capture-links", "folder_id", {}],
        ["POST", "/capture-links", "site_id", {}],
        ["POST", "/sites", "folder_id", site],
        ["POST", "/automations", "folder_id", automation],
        ["PATCH", "/automations/crm", "folder_id", {}],
        ["PUT", `/recordings/${known}/folder`, "folder_id", {}],
        ["POST", "/redeliveries", "automation_id", {}],
        ["POST", "/redeliveries", "audit_destination_id", {}]
      ])("are 422 where they are empty or longer than 255 characters: %s %s %s", async (method, path, field, rest) => {
        const refused = async (id: string) => refusalV2(await ask(method, path, { ...rest, [field]: id }), 422)
        expect(await refused("")).toContain(`${field} must not be empty`)
        expect(await refused("x".repeat(256))).toContain(`${field} must be at most 255 characters long`)
        expect((await ask(method, path, { ...rest, [field]: "x".repeat(255) })).status).toBeLessThan(500)
      })
    })

    describe("folder_id of a new recording", () => {
      test("adds it to the folder, and fires the folder's automations", async () => {
        const made = bodyOf<Filed>(await ask("POST", "/recordings", { title: "Filed", folder_id: "vip" }), 201)
        expect(made.folder_id).toBe("vip")
        const read = await ask("GET", `/recordings/${made.uuid}`)
        expect(bodyOf<Filed>(read).folder_id).toBe("vip")
        const log = await ask("GET", "/automations/crm/deliveries")
        const { deliveries } = bodyOf<{ deliveries: ReadonlyArray<{ recording_uuid: string }> }>(log)
        expect(deliveries.map(({ recording_uuid }) => recording_uuid)).toContain(made.uuid)
      })

      test("is 422 for an unknown folder, and null is no folder", async () => {
        expect(refusalV2(await ask("POST", "/recordings", { folder_id: "none" }), 422)).toBe(
          "folder_id is not the id of a folder"
        )
        expect(bodyOf<Filed>(await ask("POST", "/recordings", { folder_id: null }), 201).folder_id).toBeNull()
      })
    })

    test.each([
      ["POST", "/sites", { name: "Audited", origins: ["https://audited.test"] }],
      ["PATCH", "/sites/{id}", { is_enabled: false }],
      ["DELETE", "/sites/{id}", undefined],
      ["POST", "/folders", { name: "Audited" }],
      ["PATCH", "/folders/{id}", { name: "Renamed" }],
      ["DELETE", "/folders/{id}", undefined],
      ["POST", "/capture-links", undefined],
      ["PATCH", "/capture-links/{id}", { max_uses: null }],
      ["DELETE", "/capture-links/{id}", undefined],
      ["POST", "/captures", undefined]
    ])("A4: is the audit event that the OpenAPI document names: %s %s", async (method, path, json) => {
      const { paths } = bodyOf<LimitsDocument>(await ask("GET", "/openapi.json"))
      const [, events = ""] =
        /Audit events?: (.*)\.$/.exec(paths[path]?.[method.toLowerCase()]?.description ?? "") ?? []
      const [list = ""] = path.split("/{id}")
      const { id } = bodyOf<{ id: string }>(await ask("POST", list, limitRecords[list]), 201)
      expect((await ask(method, path.replace("{id}", id), json)).status).toBeLessThan(300)
      const { audit_entries } = bodyOf<{ audit_entries: ReadonlyArray<{ event_type: string }> }>(
        await ask("GET", "/audit-entries")
      )
      expect(events).toContain(`\`${audit_entries[0]?.event_type}\``)
    })

    describe.each([
      ["NUL", nul],
      ["a lone surrogate", loneSurrogate]
    ])("%s", (_what, text) => {
      test.each(unstorable)("is 422 in a body: %s %s", async (method, path, body, field) => {
        const message = refusalV2(await ask(method, path, body(text)), 422)
        expect(message.startsWith(field), message).toBe(true)
        expect(message).toContain("must not contain NUL or a lone surrogate")
      })

      test("is 422 in a body of v2", async () => {
        const path = `/api/v2/recordings/${known}`
        const answer = await running.fetch(path, { method: "PATCH", token: ada, json: { recording: { title: text } } })
        expect(refusalV2(answer, 422)).toBe("title must not contain NUL or a lone surrogate")
      })

      test.each<[string, Record<string, unknown>]>([
        ["/sign-in", { email: `x${text}@acme.test`, password: "y" }],
        ["/sign-in", { email: "x@acme.test", password: text }],
        ["/sign-in/link", { token: text, password: "correct horse battery" }],
        ["/sign-in/forgotten", { email: `x${text}@acme.test` }]
      ])("is 400 in a sign-in: %s %j", async (path, json) => {
        expect(refusalV2(await ask("POST", path, json), 400)).toContain("must not contain NUL or a lone surrogate")
      })
    })

    test.each([
      [
        "application/x-subrip",
        "1\n00:00:05,000 --> 00:00:04,980\nearly\n\n2\n00:00:0x,000 --> 00:00:07,000\nodd\n",
        [{ where: "line 2", repair: "An end before the start became the start" }, { where: "line 6" }]
      ],
      [
        "application/json",
        '[{"start": -0.02, "duration": 5, "text": "early", "p": NaN}, {"start": 9, "text": null}]',
        [
          { where: "the file", repair: "NaN and Infinity became null" },
          { where: "segments[0].start", repair: "A time before 0 became 0" },
          { where: "segments[1]" }
        ]
      ],
      ["text/plain", "early", []]
    ])(
      "one odd item of a transcript costs no other, and the answer says what was repaired: %s",
      async (type, body, first) => {
        const { uuid } = bodyOf<{ uuid: string }>(await ask("POST", "/recordings", { title: "Odd transcript" }), 201)
        const path = `/api/settings/recordings/${uuid}/transcript/import`
        const answer = await running.fetch(path, { method: "PUT", token: ada, body, headers: { "content-type": type } })
        expect(bodyOf(answer)).toMatchObject({
          status: "ready",
          segments: [{ end_seconds: type === "text/plain" ? null : 5, text: "early" }],
          transcript_repairs: { count: first.length, first }
        })
      }
    )

    test.each([
      ["application/x-subrip", "1\n00:00:00,000 --> 00:00:01,000\n\0\n", "Line 3, column 1: must not contain NUL"],
      [
        "application/json",
        '{"segments": [{"start": 0, "end": 1, "text": "a\\u0000b"}]}',
        "segments.0.text must not contain NUL"
      ],
      [
        "application/json",
        '{"segments": [{"start": 0, "end": 1, "text": "a\\ud800b"}]}',
        "segments.0.text must not contain NUL"
      ],
      ["text/plain", "a\0b", "must not contain NUL"]
    ])("NUL or a lone surrogate is 422 in a transcript: %s %j", async (type, body, message) => {
      const path = `/api/settings/recordings/${known}/transcript/import`
      const answer = await running.fetch(path, { method: "PUT", token: ada, body, headers: { "content-type": type } })
      expect(refusalV2(answer, 422)).toContain(message)
    })

    test.each([
      ["POST", "/api/settings/folders"],
      ["PATCH", `/api/settings/recordings/${known}`],
      ["PATCH", `/api/v2/recordings/${known}`]
    ])("R1: 413 comes before 415: %s %s", async (method, path) => {
      const headers = { "content-type": "text/plain" }
      const large = { method, token: ada, body: "a".repeat(1_048_577), headers }
      expect(refusalV2(await running.fetch(path, large), 413)).toBe("The body is larger than 1 MiB")
      refusalV2(await running.fetch(path, { ...large, body: "a".repeat(1_048_576) }), 415)
    })

    test.each(["/api/v2/recordings/", `/api/v2/recordings/${known}/`, "/api/v2/recordings//download"])(
      "a trailing slash, or an empty part, is 404 for the path: %s",
      async (path) => {
        expect(refusalV2(await running.fetch(path, { token: ada }), 404)).toBe("Not found")
      }
    )

    test.each([
      ["/api/settings/automations?folder_id=%00", "folder_id must not contain NUL or a lone surrogate"],
      ["/api/settings/automations/crm/explain?recording=a%00", "recording must not contain NUL or a lone surrogate"],
      ["/api/v2/recordings?ticket_id=4711%00", "ticket_id must not contain NUL or a lone surrogate"],
      ["/api/v2/users/search?email=a%00@b", "email must not contain NUL or a lone surrogate"]
    ])("NUL is 400 in a query: %s", async (path, message) => {
      expect(refusalV2(await running.fetch(path, { token: ada }), 400)).toBe(message)
    })

    test.each([
      ["/api/settings/folders/a%00"],
      ["/api/settings/automations/%00/deliveries/%00"],
      ["/api/settings/tokens/%00"],
      ["/api/capture/links/a%00b"],
      ["/api/capture/sites/a%00b"],
      [`/api/v2/recordings/${known}%00`]
    ])("NUL in a path is 404: %s", async (path) => {
      refusalV2(await running.fetch(path, { token: ada }), 404)
    })

    test("a repeated query parameter is named", async () => {
      const twice = "page=1&page=2"
      const message = "page must be given once"
      expect(refusalV2(await running.fetch(`/api/v2/recordings?${twice}`, { token: ada }), 400)).toBe(message)
      expect(refusalV2(await running.fetch(`/api/settings/folders?${twice}`, { token: ada }), 400)).toBe(message)
      expect(refusalV1(await running.fetch(`/api/v1/recordings?${twice}`, { token: ada }), 400)).toBe(message)
    })
  })
