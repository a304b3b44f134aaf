import { operationOf, settings } from "@tapedeck/contract"
import { beforeAll, describe, expect, test } from "vitest"
import { ada, bob, eve, uuid } from "../../support/acme.ts"
import type { OpenApi } from "../../support/contract.ts"
import { Settings, signIn } from "../../support/settings.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import { Workbench } from "../../support/workbench.ts"
import { independent } from "../targets.ts"

/** The settings API: who may do what, with a session and with an access token (S1). */

type Row = readonly [method: string, path: string]

const endpoints = Object.values(settings.Api.groups).flatMap(({ endpoints }) =>
  Object.values(endpoints as Readonly<Record<string, Parameters<typeof operationOf>[0]>>)
)

/** The operations with a permission, with ids that name nothing: who may call comes before what there is (R1). */
const needing = (...permissions: ReadonlyArray<string>): ReadonlyArray<Row> =>
  endpoints.flatMap((endpoint): ReadonlyArray<Row> => {
    const operation = operationOf(endpoint)
    // The event stream does not end.
    if (operation === null || operation.id === "events.stream" || !permissions.includes(operation.permission)) return []
    return [[endpoint.method, endpoint.path.replace("/api/settings", "").replaceAll(/:\w+/g, "none")]]
  })

const forAdmins = needing("admin", "admin_session")
const forSessions = needing("session", "admin_session")
const forAll = needing("member")

export const targets = independent

export const suite = (target: Target): void =>
  blackbox(target, "Settings API: rights", () => {
    let running: Running
    let member: Awaited<ReturnType<typeof signIn>>
    beforeAll(async () => {
      running = (await Workbench.of(target)).running
      member = await signIn(running, "bob@acme.test")
    }, 60_000)
    const ask = (method: string, path: string, token: string | undefined, json?: unknown) =>
      running.fetch(`/api/settings${path}`, { method, token, json })

    test("R21: the OpenAPI document is public, and has every operation", async () => {
      const document = bodyOf<OpenApi>(await running.fetch("/api/settings/openapi.json"))
      expect(document.openapi).toMatch(/^3\.1\./)
      const named = Object.entries(document.paths).flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`)
      )
      const declared = endpoints.map(
        ({ method, path }) => `${method} ${path.replace("/api/settings", "").replaceAll(/:(\w+)/g, "{$1}")}`
      )
      expect(named.toSorted()).toEqual(declared.toSorted())
    })

    test.each([...forAll, ...needing("session"), ...forAdmins])(
      "a call without a token, and with an unknown one, is 401 in v2's shape: %s %s",
      async (method, path) => {
        for (const token of [undefined, "unknown"]) {
          const answer = await ask(method, path, token)
          refusalV2(answer, 401)
          expect(answer.header("www-authenticate")).toBe("Bearer")
        }
      }
    )

    test.each(forAdmins)("S1: a member, by session or token, gets 403: %s %s", async (method, path) => {
      refusalV2(await member.ask(method, path), 403)
      refusalV2(await ask(method, path, bob), 403)
    })

    test.each(forSessions)(
      "S1: an access token cannot create credentials, and gets 403 for %s %s",
      async (method, path) => {
        refusalV2(await ask(method, path, ada), 403)
        refusalV2(await ask(method, path, bob), 403)
        // The tests share one session of each user, which this ends.
        if (path === "/sign-out") return
        const answer = await (await signIn(running, "ada@acme.test")).ask(method, path)
        expect(answer.status, String(answer)).not.toBe(403)
      }
    )

    test.each(forAll)("a member may call %s %s", async (method, path) => {
      for (const answer of [await member.ask(method, path), await ask(method, path, bob)]) {
        expect([401, 403], String(answer)).not.toContain(answer.status)
      }
    })

    test("S1: a token is 403 without API access, and a session is not", async () => {
      refusalV2(await ask("GET", "/folders", eve), 403)
      expect(await (await signIn(running, "eve@closed.test")).get("/account")).toMatchObject({
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
