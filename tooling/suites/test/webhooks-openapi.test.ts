import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { openApiV2 } from "@tapedeck/contract"
import { startEmulator } from "@tapedeck/emulator"
import { sampleAuditLogEvent, sampleRecordingAddedToFolder, verifyEventSync } from "@tapedeck/signing"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { beforeAll, describe, expect, test } from "vitest"
import { acme, ada, bob, uuid } from "../src/support/acme.ts"

// What receivers get is what `webhooks` of the OpenAPI document of v2 says.

interface Received {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const kinds = [
  { name: "recording.added_to_folder", sink: "crm", scheme: "folder", sample: sampleRecordingAddedToFolder },
  { name: "audit_log", sink: "siem", scheme: "audit", sample: sampleAuditLogEvent }
] as const

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

let document: ReturnType<typeof openApiV2>
let received: Readonly<Record<string, ReadonlyArray<Received>>>

beforeAll(async () => {
  const details = { duration: 42, customer: { email: "customer@example.com" }, console_logs: "error: no cart" }
  const emulator = await startEmulator({
    config: { vendor: "Zappy" },
    fixtures: acme({
      recordings: [
        { uuid: uuid(1), title: "Checkout fails", ...details, network_errors: [{ status: 503 }] },
        { uuid: uuid(2) }
      ],
      folders: [{ id: "vip", name: "VIP" }],
      sinks: [
        { id: "crm", respond: [200] },
        { id: "siem", respond: [200] }
      ],
      automations: [{ folder: "vip", url: "sink:crm", secret }],
      audit_destinations: [{ name: "SIEM", url: "sink:siem", secret }]
    })
  })
  const ask = (path: string, token: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    return emulator.fetch(`/api${path}`, { ...init, headers })
  }
  document = await (await ask("/v2/openapi.json", ada)).json()
  for (const recording of [uuid(1), uuid(2)]) await emulator.addToFolder("vip", recording)
  await ask(`/v2/recordings/${uuid(1)}`, ada, { method: "PATCH", body: '{"recording":{"title":"Paid"}}' })
  // A customer, who is no user, captures a recording.
  const link = await (await ask("/settings/capture-links", ada, { method: "POST", body: '{"title":"Show us"}' })).json()
  await ask(`/capture/links/${link.url.split("/c/")[1]}/captures`, "none", { method: "POST", body: "{}" })
  for (let time = 0; time < 2; time++) await ask("/v2/users", bob)
  // The next denial tells of the one that had no entry.
  await emulator.clock.advance({ by: "PT1H" })
  await ask("/v2/users", bob)
  await emulator.clock.advance({ until: "idle" })
  const requestsOf = async (sink: string) => (await emulator.sinks.get(sink)).requests
  received = { crm: await requestsOf("crm"), siem: await requestsOf("siem") }
  await emulator.close()
})

/** The document with schemas that allow no keys besides those that they name. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== "object" || value === null) return value
  const mapped = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]))
  return "properties" in mapped && !("additionalProperties" in mapped)
    ? { ...mapped, additionalProperties: false }
    : mapped
}

const problemsOf = (name: string, body: unknown, schemas: object = document): string => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ ...schemas, $id: "v2" }, "v2", false, false)
  const pointer = `/webhooks/${name}/post/requestBody/content/application~1json/schema`
  const validate = ajv.compile({ $ref: `v2#${pointer.split("/").map(encodeURIComponent).join("/")}` })
  return validate(body) ? "" : ajv.errorsText(validate.errors)
}

const operationOf = (name: string) => document.webhooks![name]!.post!

describe.each(kinds)("the webhook $name", ({ name, sample, scheme, sink }) => {
  test("has the documented payload, and no other keys", () => {
    const bodies = received[sink]!.map(({ body }) => JSON.parse(body))
    expect(bodies.length).toBeGreaterThan(1)
    for (const body of bodies) {
      expect(problemsOf(name, body), JSON.stringify(body)).toBe("")
      expect(problemsOf(name, body, closed(document) as object), JSON.stringify(body)).toBe("")
    }
  })

  test("has the documented headers, and the method of the document", () => {
    const { parameters } = operationOf(name)
    const names = parameters.map((parameter) => parameter.name.toLowerCase())
    for (const { headers, method } of received[sink]!) {
      expect(method).toBe("POST")
      const signing = Object.keys(headers).filter((header) => /^webhook-|-signature$/.test(header.toLowerCase()))
      expect(signing.map((header) => header.toLowerCase()).sort()).toEqual([...names].sort())
    }
  })

  test("is signed as documented, so that @tapedeck/signing verifies it", () => {
    for (const { body, headers } of received[sink]!) {
      const verified = verifyEventSync({ body, headers, secret, scheme, vendor: "Zappy" })
      expect(verified.event).toEqual(JSON.parse(body))
    }
  })

  test("has an example that is @tapedeck/signing's sample", () => {
    expect(operationOf(name).requestBody!.content["application/json"]!.example).toEqual(sample())
    expect(problemsOf(name, sample(), closed(document) as object)).toBe("")
  })

  test("is not satisfied by a body without one of its keys", () => {
    for (const key of Object.keys(sample())) expect(problemsOf(name, { ...sample(), [key]: undefined })).not.toBe("")
  })
})

test("the audit webhooks have entries of users and of the system, and the number of denials that have no entry", () => {
  const entries = received.siem!.map(({ body }) => JSON.parse(body) as ReturnType<typeof sampleAuditLogEvent>)
  expect(entries.filter(({ user }) => user === null)).not.toEqual([])
  expect(entries.filter(({ user }) => user !== null)).not.toEqual([])
  expect(entries.map(({ audit_log }) => audit_log.metadata.suppressed)).toContain(1)
})

test("docs/webhooks.md names the schemas of both payloads, the delays and the signature headers", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/webhooks.md"), "utf8")
  for (const { name } of kinds) {
    const { $ref } = operationOf(name).requestBody!.content["application/json"]!.schema
    expect(page).toContain(`\`${$ref!.split("/").at(-1)}\``)
  }
  expect(page).toContain("1 min, 5 min, 30 min, 2 h and 12 h")
  expect(page).toContain("after 1, 5, 15 and 30 min, 1 h, then every 2 h")
  for (const header of ["X-Tapedeck-Signature", "X-Webhook-Signature", "webhook-id"]) expect(page).toContain(header)
})

test("the descriptions have the schedule of the retries", () => {
  expect(operationOf("recording.added_to_folder").description).toContain(
    "retries 5 times, 1 min, 5 min, 30 min, 2 h and 12 h after the start of the previous attempt"
  )
  expect(operationOf("audit_log").description).toContain(
    "6 times by default, at most 10 times, 1 min, 5 min, 15 min, 30 min, 1 h, 2 h, 2 h, 2 h, 2 h and 2 h after the start"
  )
})
