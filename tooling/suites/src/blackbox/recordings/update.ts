import { beforeAll, describe, expect, test } from "vitest"
import { acme, ada, bob, otto, uuid } from "../../support/acme.ts"
import type { Call } from "../../support/http.ts"
import type { FlatRecording, Recording } from "../../support/shapes.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import { onStores } from "../targets.ts"

/** PATCH /recordings/{uuid} (R11). Each test that changes something has a recording of its own. */

const before = { title: "Old title", summary: "Old summary", description: "Old description" }
const updatedAt = "2025-06-01T12:00:00.000Z"
/** Recordings 1 to 39 are for tests that change them; what is refused is tried on number 50. */
const mine = Array.from({ length: 50 }, (_, n) => ({
  uuid: uuid(n + 1),
  user: "bob@acme.test",
  created_at: "2025-06-01T08:00:00.000Z",
  updated_at: updatedAt,
  ...before
}))
const untouched = uuid(50)

const mebibyte = 1_048_576
/** JSON of exactly that many bytes. */
const padded = (sizeBytes: number) => {
  const json = JSON.stringify({ recording: { title: "Padded" } })
  return json + " ".repeat(sizeBytes - json.length)
}

const accepted: ReadonlyArray<[what: string, change: Record<string, unknown>]> = [
  ["a title", { title: "New" }],
  ["a summary", { summary: "New" }],
  ["a description", { description: "New" }],
  ["all three", { title: "N", summary: "N", description: "N" }],
  ["summary null", { summary: null }],
  ["description null", { description: null }],
  ["a title of 255 characters", { title: "é".repeat(255) }],
  ["a summary of 10,000 characters", { summary: "é".repeat(10_000) }],
  ["a description of 65,535 characters", { description: "é".repeat(65_535) }],
  [
    "text of any script, quotes and line ends",
    { title: 'Käse "☕" 日本', summary: "a\nb\t\\", description: "</script>" }
  ]
]

const badRequests: ReadonlyArray<[what: string, call: Call]> = [
  ["no body", {}],
  ["an empty JSON body", { body: "", headers: { "content-type": "application/json" } }],
  ["malformed JSON", { body: '{"recording": {', headers: { "content-type": "application/json" } }],
  [
    "JSON with more behind it",
    { body: '{"recording":{"title":"a"}} x', headers: { "content-type": "application/json" } }
  ],
  [
    "JSON that is not UTF-8",
    {
      body: Buffer.concat([Buffer.from('{"recording":{"title":"'), Buffer.of(0xff, 0xfe), Buffer.from('"}}')]),
      headers: { "content-type": "application/json" }
    }
  ],
  ["an array", { json: [] }],
  ["a string", { json: "recording" }],
  ["a number", { json: 1 }],
  ["null", { json: null }],
  ["a missing `recording`", { json: {} }],
  ["the fields without `recording`", { json: { title: "New" } }],
  ["an empty `recording`", { json: { recording: {} } }],
  ["`recording` null", { json: { recording: null } }],
  ["a `recording` with none of the three fields", { json: { recording: { duration: 1 } } }]
]

const invalid: ReadonlyArray<[what: string, field: string, value: unknown]> = [
  ["title null", "title", null],
  ["a blank title", "title", ""],
  ["a title of spaces", "title", " \t\n"],
  ["a title of 256 characters", "title", "a".repeat(256)],
  ["a numeric title", "title", 1],
  ["a title that is an object", "title", {}],
  ["a summary of 10,001 characters", "summary", "a".repeat(10_001)],
  ["a boolean summary", "summary", true],
  ["a description of 65,536 characters", "description", "a".repeat(65_536)],
  ["a description that is a list", "description", ["a"]]
]

export const targets = onStores

export const suite = (target: Target): void =>
  blackbox(target, "API v2: PATCH /recordings/{uuid}", () => {
    let running: Running
    let fresh = 0
    beforeAll(async () => {
      running = await target.start(acme({ recordings: mine }))
    }, 60_000)
    const next = () => {
      fresh += 1
      return uuid(fresh)
    }
    const patch = (id: string, call: Call, token = ada) =>
      running.fetch(`/api/v2/recordings/${id}`, { method: "PATCH", token, ...call })
    const read = async (id: string) =>
      bodyOf<Recording>(await running.fetch(`/api/v2/recordings/${id}`, { token: ada }))

    describe("an accepted change", () => {
      test.each(accepted)("%s: returns the updated Recording, and absent fields are unchanged", async (_, change) => {
        const id = next()
        const was = await read(id)
        const updated = bodyOf<Recording>(await patch(id, { json: { recording: change } }))
        expect(updated).toEqual({
          ...was,
          ...before,
          ...change,
          metadata: { ...was.metadata, updated_at: expect.any(String) }
        })
        expect(updated.metadata.updated_at > updatedAt, updated.metadata.updated_at).toBe(true)
        expect(await read(id)).toEqual(updated)
      })

      test("R11: other keys are ignored, beside `recording` and in it", async () => {
        const id = next()
        const was = await read(id)
        const json = { recording: { title: "New", uuid: uuid(49), duration: 9, user: null }, role: "admin" }
        const updated = bodyOf<Recording>(await patch(id, { json }))
        expect(updated).toEqual({
          ...was,
          title: "New",
          metadata: { ...was.metadata, updated_at: updated.metadata.updated_at }
        })
      })

      test("R11: updated_at changes only if a value differs", async () => {
        const id = next()
        const same = bodyOf<Recording>(await patch(id, { json: { recording: before } }))
        expect(same.metadata.updated_at).toBe(updatedAt)
        const changed = bodyOf<Recording>(await patch(id, { json: { recording: { title: "Other" } } }))
        expect(changed.metadata.updated_at > updatedAt, changed.metadata.updated_at).toBe(true)
      })

      test("v1 shows the change too", async () => {
        const id = next()
        bodyOf(await patch(id, { json: { recording: { title: "Seen in v1", description: null } } }))
        const flat = bodyOf<FlatRecording>(await running.fetch(`/api/v1/recordings/${id}`, { token: ada }))
        expect(flat).toMatchObject({ title: "Seen in v1", description: null })
      })

      test.each(["application/json; charset=utf-8", "Application/JSON"])("Content-Type %s is JSON", async (type) => {
        const body = JSON.stringify({ recording: { title: "New" } })
        bodyOf(await patch(next(), { body, headers: { "content-type": type } }))
      })

      test("R5: the UUID may be in upper case", async () => {
        const id = next()
        bodyOf(await patch(id.toUpperCase(), { json: { recording: { title: "New" } } }))
        expect((await read(id)).title).toBe("New")
      })

      test("a body of exactly 1 MiB is accepted", async () => {
        const body = padded(mebibyte)
        const headers = { "content-type": "application/json" }
        bodyOf(await patch(next(), { body, headers }))
        bodyOf(await patch(next(), { body, headers, chunked: true }))
      })
    })

    describe("a refused change changes nothing", () => {
      test.each(badRequests)("R11: %s is 400", async (_, call) => {
        refusalV2(await patch(untouched, call), 400)
        expect(await read(untouched)).toMatchObject(before)
      })

      test.each(invalid)("R11: %s is 422, and the message names the field", async (_, field, value) => {
        // The other fields are good ones: none of them may have been written.
        const recording = { title: "New", summary: "New", description: "New", [field]: value }
        expect(refusalV2(await patch(untouched, { json: { recording } }), 422)).toContain(field)
        expect(await read(untouched)).toMatchObject(before)
      })

      test.each(["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"])(
        "R20: Content-Type %s is 415",
        async (type) => {
          const body = JSON.stringify({ recording: { title: "New" } })
          refusalV2(await patch(untouched, { body, headers: { "content-type": type } }), 415)
        }
      )

      test("R20: a body of more than 1 MiB is 413, with a declared length and without", async () => {
        const headers = { "content-type": "application/json" }
        refusalV2(await patch(untouched, { body: padded(mebibyte + 1), headers }), 413)
        refusalV2(await patch(untouched, { body: padded(mebibyte + 1), headers, chunked: true }), 413)
        refusalV2(await patch(untouched, { body: padded(3 * mebibyte), headers }), 413)
      })

      test("a member gets 403, also for their own recording (R4)", async () => {
        refusalV2(await patch(untouched, { json: { recording: { title: "New" } } }, bob), 403)
        expect(await read(untouched)).toMatchObject(before)
      })

      test("an unknown recording, an invalid UUID and another account's recording are 404", async () => {
        const json = { recording: { title: "New" } }
        refusalV2(await patch(uuid(999), { json }), 404)
        refusalV2(await patch("nonsense", { json }), 404)
        refusalV2(await patch(untouched, { json }, otto), 404)
        expect(await read(untouched)).toMatchObject(before)
      })
    })
  })
