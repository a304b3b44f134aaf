import { beforeAll, describe, expect, test } from "vitest"
import { acme, ada, bob, cyd, dan, eve, otto, uuid } from "../../support/acme.ts"
import type { FlatPage, FlatRecording } from "../../support/shapes.ts"
import { blackbox, bodyOf, keysOf, type Running, refusalV1, type Target } from "../../support/target.ts"
import { independent } from "../targets.ts"

/** The legacy v1 reads: flat recordings, and errors of their own shape. */

const fields = [
  "created_at",
  "customer_email",
  "description",
  "duration",
  "id",
  "impressions_count",
  "ip_address",
  "isp",
  "network_type",
  "platform",
  "recording_source",
  "recording_type",
  "timezone",
  "title",
  "updated_at",
  "url",
  "user_email",
  "user_name",
  "uuid",
  "vendor"
]

const document = acme({
  recordings: [
    {
      uuid: uuid(1),
      id: 901,
      user: "bob@acme.test",
      title: "Checkout fails",
      description: "After the second click",
      summary: "Not in v1",
      created_at: "2025-12-01T09:00:00.000Z",
      updated_at: "2025-12-02T10:30:00.250Z",
      duration: 42,
      impressions_count: 7,
      recording_type: "Sent",
      v1_platform: "Win32",
      helpdesk: { platform: "jira", ticket_id: "OPS-1" },
      technical_details: {
        vendor: "Chrome 140",
        ip_address: "203.0.113.9",
        timezone: "Europe/Berlin",
        network_type: "4g",
        isp: "Example Net"
      },
      customer: { email: "kim@customer.test" }
    },
    { uuid: uuid(2), user: "cyd@acme.test", created_at: "2025-11-01T00:00:00.000Z" },
    { uuid: uuid(3), user: null, created_at: "2025-10-01T00:00:00.000Z" },
    ...Array.from({ length: 101 }, (_, n) => ({
      uuid: uuid(1000 + n),
      account: 3,
      created_at: new Date(Date.UTC(2025, 0, 1) + n * 60_000).toISOString()
    }))
  ]
})

export const targets = independent

export const suite = (target: Target): void =>
  blackbox(target, "API v1", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start(document)
    }, 60_000)
    const get = (path: string, token: string | undefined = ada) => running.fetch(`/api/v1${path}`, { token })
    const page = async (path: string, token = ada) => bodyOf<FlatPage>(await get(path, token))
    const one = async (id: string, token = ada) => bodyOf<FlatRecording>(await get(`/recordings/${id}`, token))

    describe("GET /recordings/{uuid}", () => {
      test("Legacy v1 recording: has every field, flat", async () => {
        expect(await one(uuid(1))).toEqual({
          id: 901,
          uuid: uuid(1),
          title: "Checkout fails",
          description: "After the second click",
          created_at: "2025-12-01T09:00:00.000Z",
          updated_at: "2025-12-02T10:30:00.250Z",
          vendor: "Chrome 140",
          ip_address: "203.0.113.9",
          timezone: "Europe/Berlin",
          network_type: "4g",
          isp: "Example Net",
          platform: "Win32",
          impressions_count: 7,
          customer_email: "kim@customer.test",
          duration: 42,
          recording_type: "Sent",
          recording_source: "Jira issue",
          url: `${running.publicUrl}/r/${uuid(1)}`,
          user_email: "bob@acme.test",
          user_name: "Bob"
        })
      })

      test("a recording with few values has the same fields", async () => {
        const recording = await one(uuid(3))
        expect(keysOf(recording)).toEqual(fields)
        expect(recording).toMatchObject({ title: null, user_email: null, user_name: null, customer_email: null })
        expect(Number.isInteger(recording.id), JSON.stringify(recording)).toBe(true)
      })

      test("R5: UUIDs match in either case; an invalid UUID is 404", async () => {
        expect((await one(uuid(1).toUpperCase())).uuid).toBe(uuid(1))
        refusalV1(await get("/recordings/nonsense"), 404)
      })

      test("a missing recording is 404, and so is one that the caller may not see (R4)", async () => {
        refusalV1(await get(`/recordings/${uuid(999)}`), 404)
        refusalV1(await get(`/recordings/${uuid(1)}`, cyd), 404)
        refusalV1(await get(`/recordings/${uuid(3)}`, bob), 404)
        refusalV1(await get(`/recordings/${uuid(1)}`, otto), 404)
      })
    })

    describe("GET /recordings", () => {
      test("R17: the list is {pagination, records: [flat recording]}, newest first (R7)", async () => {
        const body = await page("/recordings")
        expect(keysOf(body)).toEqual(["pagination", "records"])
        expect(body.records.map((record) => record.uuid)).toEqual([uuid(1), uuid(2), uuid(3)])
        expect(body.records[0]).toEqual(await one(uuid(1)))
        expect(body.pagination).toEqual({ count: 3, page: 1, items: 100, pages: 1, last_page: 1, from: 1, to: 3 })
      })

      test("a member sees only their own recordings", async () => {
        expect((await page("/recordings", bob)).records.map((record) => record.uuid)).toEqual([uuid(1)])
      })

      test("R6, R8: pages have 100 records", async () => {
        const [first, second] = [await page("/recordings", otto), await page("/recordings?page=2", otto)]
        expect([first.records.length, second.records.length]).toEqual([100, 1])
        expect(first.pagination).toMatchObject({ next_page: 2, pages: 2 })
        expect(first.pagination).not.toHaveProperty("prev_page")
        expect(second.pagination).toMatchObject({ prev_page: 1, page: 2, from: 101, to: 101 })
        expect(second.pagination).not.toHaveProperty("next_page")
      })

      test("R9: a page past the end is 200, a bad page is 400", async () => {
        expect((await page("/recordings?page=7")).records).toEqual([])
        for (const value of ["0", "-1", "x", ""]) refusalV1(await get(`/recordings?page=${value}`), 400)
      })

      test("R21: a form body on a GET is ignored", async () => {
        const answer = await running.fetch("/api/v1/recordings", {
          token: ada,
          body: "page=0",
          headers: { "content-type": "application/x-www-form-urlencoded" }
        })
        expect(bodyOf(answer)).toEqual(await page("/recordings"))
      })
    })

    test("Versioning: no answer of v1 announces a deprecation", async () => {
      for (const path of ["/api/v1/recordings", "/api/v1/nope"]) {
        const answer = await running.fetch(path, { token: ada })
        for (const name of ["deprecation", "sunset", "warning"])
          expect(answer.header(name), String(answer)).toBeUndefined()
      }
    })

    describe("errors have the shape {error: {message, code}} (R2)", () => {
      test("a request without a token is 401, and so is an unknown token or a deactivated user's", async () => {
        for (const token of ["unknown", dan]) {
          const answer = await get("/recordings", token)
          refusalV1(answer, 401)
          expect(answer.header("www-authenticate"), String(answer)).toMatch(/^Bearer\b/)
        }
        const answer = await running.fetch("/api/v1/recordings")
        refusalV1(answer, 401)
        expect(answer.header("www-authenticate"), String(answer)).toMatch(/^Bearer\b/)
      })

      test("a token is 403 while API access is off", async () => {
        refusalV1(await get("/recordings", eve), 403)
      })

      test("unknown paths below /api/v1 are 404, v2's among them", async () => {
        for (const path of [
          "/nope",
          "/users",
          `/recordings/${uuid(1)}/transcript`,
          `/recordings/${uuid(1)}/download`
        ]) {
          refusalV1(await get(path), 404)
        }
      })

      test("R20: an unknown method is 405 with Allow", async () => {
        for (const path of ["/recordings", `/recordings/${uuid(1)}`]) {
          for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
            const answer = await running.fetch(`/api/v1${path}`, { token: ada, method })
            refusalV1(answer, 405)
            expect((answer.header("allow") ?? "").split(/,\s*/), String(answer)).toContain("GET")
          }
        }
      })

      test("R20: an over-long URL is 414, and JSON of more than 1 MiB is 413", async () => {
        refusalV1(await get(`/recordings?page=${"1".repeat(20_000)}`), 414)
        const json = "a".repeat(1_048_577)
        refusalV1(await running.fetch("/api/v1/recordings", { token: ada, method: "POST", json }), 413)
      })
    })
  })
