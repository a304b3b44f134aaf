import { beforeAll, describe, expect, test } from "vitest"
import { ada, bob, eve, uuid } from "../support/acme.ts"
import type { OpenApi } from "../support/contract.ts"
import { type Json, Settings, signIn } from "../support/settings.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../support/target.ts"
import { Workbench } from "../support/workbench.ts"

/** The settings API: who may do what, with a session and with an access token (S1). */

/** An operation of each part, and who may do it. */
const forAdmins: ReadonlyArray<[method: string, path: string, json?: Json]> = [
  ["POST", "/folders", { name: "New" }],
  ["PATCH", "/folders/f1", { name: "New" }],
  ["DELETE", "/folders/f1"],
  ["PATCH", `/recordings/${uuid(1)}`, { title: "New" }],
  ["GET", "/automations"],
  ["POST", "/automations", { folder_id: "f1", url: "https://crm.test/" }],
  ["GET", "/automations/a1"],
  ["PATCH", "/automations/a1", { enabled: false }],
  ["DELETE", "/automations/a1"],
  ["GET", "/automations/a1/secret"],
  ["POST", "/automations/a1/secret/rotate", {}],
  ["POST", "/automations/a1/test"],
  ["GET", "/automations/a1/deliveries"],
  ["GET", "/audit-destinations"],
  ["POST", "/audit-destinations", { name: "x", url: "https://siem.test/" }],
  ["GET", "/audit-destinations/d1"],
  ["GET", "/audit-entries"],
  ["GET", "/users"],
  ["POST", "/users", { email: "n@acme.test", name: "N" }],
  ["GET", "/users/12"],
  ["PATCH", "/users/12", { name: "N" }],
  ["POST", "/users/12/deactivate"],
  ["GET", "/account"],
  ["PATCH", "/account", { name: "N" }]
]
const forSessions: typeof forAdmins = [
  ["GET", "/tokens"],
  ["POST", "/tokens", { name: "CI" }],
  ["GET", "/tokens/any"],
  ["PATCH", "/tokens/any", { name: "CI" }],
  ["DELETE", "/tokens/any"]
]
const forAll: typeof forAdmins = [
  ["GET", "/folders"],
  ["GET", "/folders/f1"],
  ["GET", "/folders/f1/recordings"],
  ["GET", "/recordings"],
  ["GET", `/recordings/${uuid(1)}`]
]

export const suite = (target: Target): void =>
  blackbox(target, "Settings API: rights", () => {
    let running: Running
    beforeAll(async () => {
      running = (await Workbench.of(target)).running
    }, 60_000)
    const everything = [...forAdmins, ...forSessions, ...forAll]
    const ask = (method: string, path: string, token: string | undefined, json?: unknown) =>
      running.fetch(`/api/settings${path}`, { method, token, json })

    test("R21: the OpenAPI document is public, and has every operation of this suite", async () => {
      const document = bodyOf<OpenApi>(await running.fetch("/api/settings/openapi.json"))
      expect(document.openapi).toMatch(/^3\.1\./)
      const named = Object.entries(document.paths).flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replace(/^\/api\/settings/, "")}`)
      )
      for (const [method, path] of everything) {
        const pattern = new RegExp(
          `^${method} ${path.replaceAll(/\/([a-z-]+)\/(?:f1|a1|d1|12|any|[0-9a-f-]{36})/g, "/$1/\\{[^}]+\\}")}$`
        )
        expect(
          named.filter((each) => pattern.test(each)),
          `${method} ${path}`
        ).toHaveLength(1)
      }
    })

    test.each(everything)(
      "a call without a token, and with an unknown one, is 401 in v2's shape: %s %s",
      async (method, path, json) => {
        for (const token of [undefined, "unknown"]) {
          const answer = await ask(method, path, token, json)
          refusalV2(answer, 401)
          expect(answer.header("www-authenticate")).toBe("Bearer")
        }
      }
    )

    test.each(forAdmins)("S1: a member, by session or token, gets 403: %s %s", async (method, path, json) => {
      const session = await signIn(running, "bob@acme.test")
      refusalV2(await session.ask(method, path, { json }), 403)
      refusalV2(await ask(method, path, bob, json), 403)
    })

    test.each(forSessions)(
      "S1: an access token cannot create credentials, and gets 403 for %s %s",
      async (method, path, json) => {
        refusalV2(await ask(method, path, ada, json), 403)
        refusalV2(await ask(method, path, bob, json), 403)
        const answer = await (await signIn(running, "bob@acme.test")).ask(method, path, { json })
        expect(answer.status, String(answer)).not.toBe(403)
      }
    )

    test.each(forAll)("a member may call %s %s", async (method, path) => {
      bodyOf(await (await signIn(running, "bob@acme.test")).ask(method, path))
      bodyOf(await ask(method, path, bob))
    })

    test("S1: a token is 403 without API access, and a session is not", async () => {
      refusalV2(await ask("GET", "/folders", eve), 403)
      expect(await (await signIn(running, "eve@closed.test")).get("/account")).toEqual({
        id: 2,
        name: "Closed",
        api_access: false,
        sharing: "public"
      })
    })

    test("records of another account are 404", async () => {
      const session = await signIn(running, "otto@other.test")
      const theirs = ["/folders/f1", "/automations/a1", "/audit-destinations/d1", "/users/12", `/recordings/${uuid(1)}`]
      for (const path of theirs) refusalV2(await session.ask("GET", path), 404)
      for (const path of ["/folders", "/automations", "/audit-destinations", "/recordings"]) {
        expect((await session.get<{ pagination: { count: number } }>(path)).pagination.count, path).toBe(0)
      }
      refusalV2(await session.ask("POST", "/automations", { json: { folder_id: "f1", url: "https://x.test/" } }), 422)
    })

    test("R4: recordings of others are 404 for a member", async () => {
      const session = await signIn(running, "cyd@acme.test")
      for (const [method, path] of [
        ["GET", ""],
        ["DELETE", ""],
        ["GET", "/transcript"],
        ["PUT", "/folder"]
      ] as const) {
        const json = method === "PUT" ? { folder_id: "f1" } : undefined
        refusalV2(await session.ask(method, `/recordings/${uuid(1)}${path}`, { json }), 404)
      }
    })

    describe("refusals have v2's shape", () => {
      const ofAda = () => signIn(running, "ada@acme.test")

      test("R2, R20: an unknown path is 404, an unknown method 405 with Allow, another content type 415", async () => {
        const settings = await ofAda()
        refusalV2(await settings.ask("GET", "/nope"), 404)
        const wrong = await settings.ask("DELETE", "/folders")
        refusalV2(wrong, 405)
        expect(wrong.header("allow")).toMatch(/GET/)
        const text = { headers: { "content-type": "text/plain" }, body: "{}" }
        refusalV2(await settings.ask("POST", "/folders", text), 415)
      })

      test("malformed JSON is 400, and an invalid value is 422 with its name", async () => {
        const settings = await ofAda()
        const broken = { headers: { "content-type": "application/json" }, body: "{" }
        refusalV2(await settings.ask("POST", "/folders", broken), 400)
        expect(refusalV2(await settings.ask("POST", "/folders", { json: { name: " " } }), 422)).toMatch(/name/)
        expect(refusalV2(await settings.ask("POST", "/folders", { json: {} }), 422)).toMatch(/name/)
      })

      test("R1: 401 precedes 404, 403 precedes 422, and 404 precedes 422", async () => {
        refusalV2(await ask("GET", "/nope", undefined), 401)
        const member = new Settings(running, { token: bob })
        refusalV2(await member.ask("POST", "/automations", { json: {} }), 403)
        refusalV2(await (await ofAda()).ask("PATCH", "/automations/nope", { json: { method: "GET" } }), 404)
      })
    })
  })
