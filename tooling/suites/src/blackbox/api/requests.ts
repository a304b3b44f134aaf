import { beforeAll, describe, expect, test } from "vitest"
import { acme, ada, bob, dan, eve, fay, uuid } from "../../support/acme.ts"
import type { Answer } from "../../support/http.ts"
import type { RecordingPage } from "../../support/shapes.ts"
import { blackbox, bodyOf, type Running, refusalV1, refusalV2, type Target } from "../../support/target.ts"
import { independent } from "../targets.ts"

/** What holds of every request: authentication, methods, paths, sizes, and the headers of every response. */

const id = uuid(1)
const operations: ReadonlyArray<[method: string, path: string]> = [
  ["GET", "/recordings"],
  ["GET", `/recordings/${id}`],
  ["PATCH", `/recordings/${id}`],
  ["GET", `/recordings/${id}/download`],
  ["GET", `/recordings/${id}/transcript`],
  ["GET", "/users"],
  ["GET", "/users/search?email=bob%40acme.test"]
]

const document = acme({
  users: [
    { id: 11, email: "ada@acme.test", name: "Ada", role: "admin", token: ada, account: 1 },
    { id: 12, email: "bob@acme.test", name: "Bob", token: bob, account: 1 },
    { id: 14, email: "dan@acme.test", name: "Dan", role: "admin", token: dan, account: 1, active: false },
    { id: 16, email: "gen@acme.test", name: "Gen", role: "admin", account: 1 },
    { id: 17, email: "hal@acme.test", name: "Hal", account: 1, active: false },
    { id: 21, email: "eve@closed.test", name: "Eve", role: "admin", token: eve, account: 2 },
    { id: 22, email: "fay@closed.test", name: "Fay", token: fay, account: 2 }
  ],
  recordings: [{ uuid: id, user: "bob@acme.test", video: { original: { base64: "AAAA", content_type: "video/mp4" } } }]
})

export const targets = independent

export const suite = (target: Target): void =>
  blackbox(target, "Every request", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start(document)
    }, 60_000)
    const json = { recording: { title: "New" } }
    const ask = (method: string, path: string, token?: string) =>
      running.fetch(`/api/v2${path}`, { method, token, ...(method === "PATCH" ? { json } : {}) })

    const unauthorized = (answer: Answer) => {
      refusalV2(answer, 401)
      expect(answer.header("www-authenticate"), String(answer)).toMatch(/^Bearer\b/)
    }

    describe("Authentication", () => {
      test.each(operations)("without a token it is 401: %s %s", async (method, path) => {
        unauthorized(await ask(method, path))
      })

      test.each(operations)("with an unknown token it is 401: %s %s", async (method, path) => {
        unauthorized(await ask(method, path, "unknown"))
      })

      test.each(operations)("R19: with the token of a deactivated user it is 401: %s %s", async (method, path) => {
        unauthorized(await ask(method, path, dan))
      })

      test.each([
        "Bearer",
        "Bearer ",
        `Basic ${Buffer.from(`ada:${ada}`).toString("base64")}`,
        ada,
        `Token ${ada}`,
        `Bearer ${ada}x`,
        `Bearer ${ada.slice(0, -1)}`,
        `Bearer ${ada.toUpperCase()}`,
        `Bearer ${ada} ${ada}`
      ])("with Authorization: %s it is 401", async (authorization) => {
        unauthorized(await running.fetch("/api/v2/recordings", { headers: { authorization } }))
      })

      test("a token in the query is ignored", async () => {
        unauthorized(await running.fetch(`/api/v2/recordings?access_token=${ada}&token=${ada}`))
      })

      test.each(operations)("with API access off it is 403: %s %s", async (method, path) => {
        refusalV2(await ask(method, path, eve), 403)
        refusalV2(await ask(method, path, fay), 403)
      })

      test("R19: generated tokens are tdk_, 40 random base-62 characters and 6 of a checksum, and are accepted", async () => {
        const token = String(running.tokens["gen@acme.test"])
        expect(token).toMatch(/^tdk_[0-9A-Za-z]{46}$/)
        expect(bodyOf<RecordingPage>(await ask("GET", "/recordings", token)).records).toHaveLength(1)
        const flipped = `${token.slice(0, -1)}${token.endsWith("a") ? "b" : "a"}`
        unauthorized(await ask("GET", "/recordings", flipped))
      })

      test("the world's tokens are those of the start document, by e-mail", () => {
        expect(running.tokens).toMatchObject({ "ada@acme.test": ada, "bob@acme.test": bob, "eve@closed.test": eve })
      })
    })

    describe("paths and methods", () => {
      test.each(["", "/nope", "/recordings/", `/recordings/${id}/nope`, "/users/1", "/v2/recordings", "/recordings//"])(
        "R2: the unknown path /api/v2%s is 404 in v2's shape",
        async (path) => {
          refusalV2(await ask("GET", path, ada), 404)
        }
      )

      test("broken percent-encoding is refused in v2's shape", async () => {
        refusalV2(await ask("GET", "/%ZZ", ada), 404)
        refusalV2(await ask("GET", "/recordings/%ZZ", ada), 404)
        refusalV2(await ask("GET", "/recordings?page=%ZZ", ada), 400)
      })

      test("R1: an unknown path without a token is 401", async () => {
        unauthorized(await ask("GET", "/nope"))
        refusalV1(await running.fetch("/api/v1/nope"), 401)
      })

      test.each([
        ["POST", "/recordings", ["GET"]],
        ["DELETE", "/recordings", ["GET"]],
        ["PATCH", "/recordings", ["GET"]],
        ["DELETE", `/recordings/${id}`, ["GET", "PATCH"]],
        ["PUT", `/recordings/${id}`, ["GET", "PATCH"]],
        ["POST", `/recordings/${id}`, ["GET", "PATCH"]],
        ["POST", `/recordings/${id}/download`, ["GET", "HEAD"]],
        ["PUT", `/recordings/${id}/transcript`, ["GET"]],
        ["POST", "/users", ["GET"]],
        ["DELETE", "/users/search", ["GET"]]
      ])("R20: %s %s is 405, with Allow: %j", async (method, path, allowed) => {
        const answer = await running.fetch(`/api/v2${path}`, { method, token: ada })
        refusalV2(answer, 405)
        const allow = (answer.header("allow") ?? "").split(/,\s*/)
        expect(allow, String(answer)).toEqual(expect.arrayContaining(allowed))
        expect(allow, String(answer)).not.toContain(method)
      })
    })

    describe("sizes (R20)", () => {
      test("an over-long URL is 414", async () => {
        refusalV2(await ask("GET", `/recordings?ticket_id=${"1".repeat(20_000)}`, ada), 414)
        refusalV2(await ask("GET", `/recordings?ticket_id=${"1".repeat(100_000)}`, ada), 414)
        refusalV2(await ask("GET", `/${"a".repeat(20_000)}`, ada), 414)
      })

      test("a long URL within the limit is served", async () => {
        bodyOf(await ask("GET", `/recordings?ticket_id=${"1".repeat(1_000)}`, ada))
      })
    })

    describe("R3: every response has its own X-Request-Id", () => {
      test("answers and refusals have one, JSON or not", async () => {
        const answers = [
          await ask("GET", "/recordings", ada),
          await ask("GET", "/recordings", ada),
          await ask("GET", "/recordings"),
          await ask("GET", "/nope", ada),
          await ask("DELETE", "/recordings", ada),
          await ask("GET", "/recordings?page=0", ada),
          await ask("GET", `/recordings?ticket_id=${"1".repeat(20_000)}`, ada),
          await ask("PATCH", `/recordings/${id}`, bob),
          await ask("GET", `/recordings/${id}/download`, ada),
          await running.fetch("/api/v1/recordings", { token: ada }),
          await running.fetch("/api/v1/nope"),
          await running.fetch("/api/v2/openapi.json"),
          await running.fetch(`/r/${id}`)
        ]
        const ids = answers.map((answer) => {
          expect(answer.header("x-request-id") ?? "", String(answer)).toMatch(/^\S+$/)
          return answer.header("x-request-id")
        })
        expect(new Set(ids).size).toBe(answers.length)
      })
    })

    test("R21: /api/docs is public and loads nothing from other hosts", async () => {
      const answer = await running.fetch("/api/docs")
      expect(answer.status, String(answer)).toBe(200)
      expect(answer.header("content-type")).toMatch(/^text\/html\b/)
      expect(answer.text).not.toMatch(/<(script|link|img|iframe)[^>]+(src|href)="?(https?:)?\/\//i)
      for (const path of ["/recordings", "/users/search", "transcript"]) expect(answer.text).toContain(path)
    })
  })
