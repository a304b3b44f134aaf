import { beforeAll, describe, expect, test } from "vitest"
import { acme, ada, bob, eve, fay, uuid } from "../../support/acme.ts"
import type { Call } from "../../support/http.ts"
import { blackbox, type Running, refusalV1, refusalV2, type Target } from "../../support/target.ts"
import { independent } from "../targets.ts"

/** R1: the order of refusals. Each request deserves both; the first must be the answer. */

const known = uuid(1)
const unknown = uuid(99)
const long = "1".repeat(20_000)
const large = JSON.stringify({ recording: { title: "a".repeat(1_048_577) } })
const asJson = { "content-type": "application/json" }
const asText = { "content-type": "text/plain" }
const malformed: Call = { method: "PATCH", body: "{", headers: asJson }
const titleNull: Call = { method: "PATCH", json: { recording: { title: null } } }

const document = acme({
  recordings: [
    { uuid: known, user: "bob@acme.test", video: { original: { base64: "AAAA" } } },
    { uuid: uuid(2), user: "bob@acme.test" },
    { uuid: uuid(3), user: "fay@closed.test", account: 2 }
  ]
})

type Row = [first: number, pair: string, path: string, call: Call]

const rows: ReadonlyArray<Row> = [
  [414, "414 before 401", `/recordings?ticket_id=${long}`, {}],
  [414, "414 before 404 (path)", `/nope/${long}`, { token: ada }],
  [414, "414 before 405", `/recordings?ticket_id=${long}`, { token: ada, method: "DELETE" }],
  [414, "414 before 403 (API access)", `/recordings?ticket_id=${long}`, { token: eve }],
  [414, "414 before 400", `/recordings?page=0&ticket_id=${long}`, { token: ada }],
  [413, "413 before 401, length declared", `/recordings/${known}`, { method: "PATCH", body: large, headers: asJson }],
  [
    401,
    "401 before 413, length not declared",
    `/recordings/${known}`,
    { method: "PATCH", body: large, headers: asJson, chunked: true }
  ],
  [
    413,
    "413 before 404 (path), length not declared",
    "/nope",
    { token: ada, method: "PATCH", body: large, headers: asJson, chunked: true }
  ],
  [
    413,
    "413 before 415, length declared",
    `/recordings/${known}`,
    { token: ada, method: "PATCH", body: large, headers: asText }
  ],
  [
    413,
    "413 before 415, length not declared",
    `/recordings/${known}`,
    { token: ada, method: "PATCH", body: large, headers: asText, chunked: true }
  ],
  [413, "413 before 404 (path)", "/nope", { token: ada, method: "POST", body: large, headers: asJson }],
  [413, "413 before 405", "/recordings", { token: ada, method: "POST", body: large, headers: asJson }],
  [
    413,
    "413 before 403 (API access)",
    `/recordings/${known}`,
    { token: eve, method: "PATCH", body: large, headers: asJson }
  ],
  [
    413,
    "413 before 403 (permission)",
    `/recordings/${known}`,
    { token: bob, method: "PATCH", body: large, headers: asJson }
  ],
  [
    413,
    "413 before 404 (record)",
    `/recordings/${unknown}`,
    { token: ada, method: "PATCH", body: large, headers: asJson }
  ],
  [413, "413 before 422", `/recordings/${known}`, { token: ada, method: "PATCH", body: large, headers: asJson }],

  [401, "401 before 404 (path)", "/nope", {}],
  [401, "401 before 405", "/recordings", { method: "DELETE" }],
  [401, "401 before 400", "/recordings?page=0", {}],
  [401, "401 before 415", `/recordings/${known}`, { method: "PATCH", body: "x", headers: asText }],
  [401, "401 before 404 (record)", `/recordings/${unknown}`, {}],
  [401, "401 before 409", `/recordings/${uuid(2)}/download`, {}],
  [401, "401 before 416", `/recordings/${known}/download`, { headers: { range: "bytes=9-" } }],
  [401, "401 before 422", `/recordings/${known}`, titleNull],

  [404, "404 (path) before 403 (API access)", "/nope", { token: eve }],
  [404, "404 (path) before 403 (permission)", "/users/nope", { token: bob }],
  [404, "404 (path) before 400", "/nope?page=0", { token: ada }],
  [405, "405 before 403 (API access)", "/recordings", { token: eve, method: "DELETE" }],
  [405, "405 before 403 (permission)", "/users", { token: bob, method: "POST" }],
  [405, "405 before 415", "/recordings", { token: ada, method: "POST", body: "x", headers: asText }],
  [405, "405 before 404 (record)", `/recordings/${unknown}`, { token: ada, method: "DELETE" }],

  [403, "403 (API access) before 400", "/recordings?page=0", { token: eve }],
  [403, "403 (API access) before 404 (record)", `/recordings/${unknown}`, { token: eve }],
  [403, "403 (API access) before 409", `/recordings/${uuid(3)}/download`, { token: fay }],
  [403, "403 (API access) before 422", `/recordings/${uuid(3)}`, { ...titleNull, token: eve }],

  [403, "403 (permission) before 400: malformed JSON", `/recordings/${known}`, { ...malformed, token: bob }],
  [403, "403 (permission) before 400: no body", `/recordings/${known}`, { method: "PATCH", token: bob }],
  [403, "403 (permission) before 400: page", "/users?page=0", { token: bob }],
  [403, "403 (permission) before 400: e-mail", "/users/search", { token: bob }],
  [
    403,
    "403 (permission) before 415",
    `/recordings/${known}`,
    { method: "PATCH", body: "x", headers: asText, token: bob }
  ],
  [403, "403 (permission) before 404 (record)", `/recordings/${unknown}`, { ...titleNull, token: bob }],
  [403, "403 (permission) before 404 (user)", "/users/search?email=no%40acme.test", { token: bob }],
  [403, "403 (permission) before 422", `/recordings/${known}`, { ...titleNull, token: bob }],

  [400, "400 before 404 (record): malformed JSON", `/recordings/${unknown}`, { ...malformed, token: ada }],
  [400, "400 before 404 (record): no body", `/recordings/${unknown}`, { method: "PATCH", token: ada }],
  [
    400,
    "400 before 404 (record): empty recording",
    `/recordings/${unknown}`,
    { method: "PATCH", token: ada, json: { recording: {} } }
  ],
  [400, "400 before 404 (record): page", `/recordings/${unknown}/transcript?page=0`, { token: ada }],
  [
    415,
    "415 before 404 (record)",
    `/recordings/${unknown}`,
    { method: "PATCH", body: "x", headers: asText, token: ada }
  ],
  [
    415,
    "415 before 422",
    `/recordings/${known}`,
    { method: "PATCH", body: JSON.stringify({ recording: { title: null } }), headers: asText, token: ada }
  ],
  [
    400,
    "400 before 404 (record): a page of what one may not see",
    `/recordings/${uuid(3)}/transcript?page=x`,
    { token: bob }
  ],

  [404, "404 (record) before 409", `/recordings/${uuid(3)}/download`, { token: ada }],
  [404, "404 (record) before 416", `/recordings/${unknown}/download`, { token: ada, headers: { range: "bytes=9-" } }],
  [404, "404 (record) before 422", `/recordings/${unknown}`, { ...titleNull, token: ada }]
]

const legacy: ReadonlyArray<Row> = [
  [414, "414 before 401", `/recordings?page=${long}`, {}],
  [401, "401 before 404 (path)", "/nope", {}],
  [401, "401 before 405", "/recordings", { method: "POST" }],
  [404, "404 (path) before 403 (API access)", "/nope", { token: eve }],
  [405, "405 before 403 (API access)", "/recordings", { token: eve, method: "POST" }],
  [403, "403 (API access) before 400", "/recordings?page=0", { token: eve }],
  [403, "403 (API access) before 404 (record)", `/recordings/${unknown}`, { token: eve }]
]

export const targets = independent

export const suite = (target: Target): void =>
  blackbox(target, "R1: the order of refusals", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start(document)
    }, 60_000)

    describe("R1: v2's order of refusals", () => {
      test.each(rows)("%i has this precedence: %s", async (first, _, path, call) => {
        refusalV2(await running.fetch(`/api/v2${path}`, call), first)
      })

      test("403 (API access) precedes 403 (permission), with the same reason as for calls without a permission", async () => {
        const plain = refusalV2(await running.fetch("/api/v2/recordings", { token: fay }), 403)
        const both = refusalV2(await running.fetch("/api/v2/users", { token: fay }), 403)
        const permission = refusalV2(await running.fetch("/api/v2/users", { token: bob }), 403)
        expect(both).toBe(plain)
        expect(both).not.toBe(permission)
      })
    })

    describe("R1: v1's order of refusals", () => {
      test.each(legacy)("%i has this precedence: %s", async (first, _, path, call) => {
        refusalV1(await running.fetch(`/api/v1${path}`, call), first)
      })
    })
  })
