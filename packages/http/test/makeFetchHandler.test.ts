import { createHash } from "node:crypto"
import { type CaptureServices, type FolderSettings, Recordings } from "@tapedeck/core"
import { Context, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { describe, expect, expectTypeOf, it, test } from "vitest"
import {
  apiDocuments,
  type CoreServices,
  captureApi,
  type Endpoint,
  type FetchHandlerOptions,
  type GuardedEndpoint,
  makeFetchHandler,
  makeRouteTable,
  type PublicServices,
  settingsApi
} from "../src/index.ts"
import { script, scriptHash } from "../src/pages/publicPage/script.ts"
import { style, styleHash } from "../src/pages/publicPage/style.ts"
import { ids } from "./fixtures.ts"
import { makeWorld } from "./world.ts"

const as = (name: string) => ({ headers: { authorization: `Bearer ${name}-token` } })

const opened = async (
  options: Partial<FetchHandlerOptions<CoreServices>> = {}
): Promise<(path: string, init?: RequestInit) => Promise<Response>> => {
  const { context } = await makeWorld()
  const handle = makeFetchHandler<CoreServices>({ services: context, ...options })
  return (path, init) => handle(new Request(`http://tapedeck.test${path}`, init))
}

/** Answers with what it was given of the table. */
const echo: GuardedEndpoint<never> = {
  methods: ["POST"],
  path: "/api/v2/echo",
  operation: { id: "echo", permission: "member" },
  answer: ({ caller }) => Effect.succeed(HttpServerResponse.text(caller.user.email))
}

describe("makeFetchHandler", () => {
  it("answers v2, v1 and the public pages", async () => {
    const fetch = await opened()
    const list = await fetch("/api/v2/recordings", as("ada"))
    expect([list.status, await list.json()]).toMatchObject([200, { records: { length: 5 } }])
    expect((await fetch(`/api/v1/recordings/${ids.adas}`, as("ada"))).status).toBe(200)
    expect((await fetch("/api/v1/recordings")).status).toBe(401)
    const json = { method: "PATCH", body: `{"recording":{"title":"Changed"}}` }
    const headers = { ...as("ada").headers, "content-type": "application/json" }
    const changed = await fetch(`/api/v2/recordings/${ids.adas}`, { ...json, headers })
    expect(await changed.json()).toMatchObject({ title: "Changed" })
    expect((await fetch(`/r/${ids.adas}`, as("ada"))).headers.get("content-type")).toBe("text/html; charset=utf-8")
  })

  it("has the settings API, the capture API and the documents only where it is given them", async () => {
    const paths = ["/api/settings/account", "/api/capture/links/x", "/api/v2/openapi.json"]
    const statuses = async (fetch: Awaited<ReturnType<typeof opened>>) =>
      Promise.all(paths.map(async (path) => (await fetch(path, as("ada"))).status))
    expect(await statuses(await opened())).toEqual([404, 404, 404])
    const whole = await opened({ roots: [settingsApi, captureApi], endpoints: apiDocuments })
    expect(await statuses(whole)).toEqual([200, 404, 200])
    expect(await (await whole("/api/capture/links/x")).json()).toEqual({ error: expect.stringContaining("link") })
  })

  it("answers below its prefix alone, which documents name", async () => {
    const fetch = await opened({ prefix: "/tape", endpoints: apiDocuments })
    expect((await fetch("/tape/api/v2/recordings?page=1", as("ada"))).status).toBe(200)
    const document = await (await fetch("/tape/api/v2/openapi.json")).json()
    expect(document).toMatchObject({ servers: [{ url: "/tape/api/v2" }, {}] })
    for (const path of ["/api/v2/recordings", "/tapes/api/v2/recordings", "/other"]) {
      const response = await fetch(path, as("ada"))
      expect([path, response.status, await response.json()]).toEqual([path, 404, { error: "Not found" }])
    }
    for (const path of ["/tape", "/tape?page=1"]) expect((await fetch(path)).status).toBe(404)
  })

  it("refuses a prefix with a slash at its end", async () => {
    const { context } = await makeWorld()
    expect(() => makeFetchHandler({ services: context, prefix: "/tape/" })).toThrow("must not end with a slash")
  })

  it("takes the caller from `authenticate` alone, where it is given", async () => {
    const fetch = await opened({
      endpoints: [echo],
      authenticate: async ({ headers }) => (headers.has("x-user") ? `${headers.get("x-user")}-token` : null)
    })
    const ask = async (headers: Record<string, string>) => {
      const response = await fetch("/api/v2/echo", { method: "POST", headers })
      return [response.status, await response.text()]
    }
    expect(await ask({ "x-user": "bob" })).toEqual([200, "bob@acme.test"])
    expect(await ask({ "x-user": "bob", ...as("ada").headers })).toEqual([200, "bob@acme.test"])
    const refusal = `{"error":"Access token is missing, invalid or deactivated"}`
    for (const headers of [{ "x-user": "eve" }, as("ada").headers, {}]) {
      expect(await ask(headers)).toEqual([401, refusal])
    }
    // Bob's own page, which others see with a password alone.
    expect((await fetch(`/r/${ids.bobs}`, { headers: { "x-user": "bob" } })).status).toBe(200)
  })

  it("answers 500 where `authenticate` throws, and says nothing of it", async () => {
    const fetch = await opened({
      authenticate: () => {
        throw new Error("the directory is down")
      }
    })
    const response = await fetch("/api/v2/recordings")
    expect([response.status, await response.json()]).toEqual([500, { error: "Internal server error" }])
  })

  it("answers its own endpoints with the services of core and its own", async () => {
    class Motto extends Context.Service<Motto, string>()("test/Motto") {}
    const say: Endpoint<Motto> = {
      methods: ["GET"],
      path: "/motto",
      operation: null,
      answer: () => Effect.map(Motto, (text) => HttpServerResponse.text(text))
    }
    const { context } = await makeWorld()
    const handle = makeFetchHandler({ services: Context.add(context, Motto, "hello"), endpoints: [say] })
    expect(await (await handle(new Request("http://x/motto"))).text()).toBe("hello")
    // @ts-expect-error Motto is missing
    makeFetchHandler({ services: context, endpoints: [say] })
  })
})

describe("the type of its services", () => {
  type Needed<Options> = Options extends FetchHandlerOptions<infer R> ? PublicServices | R : never

  test("names a service that is missing", async () => {
    const { context } = await makeWorld()
    const services = context as Context.Context<Exclude<PublicServices, Recordings>>
    // @ts-expect-error Type 'Recordings' is not assignable
    makeFetchHandler({ services })
    makeFetchHandler({ services: Context.add(services, Recordings, Context.get(context, Recordings)) })
  })

  test("asks for the settings API's and the capture API's only where these are given", () => {
    expectTypeOf<CaptureServices | FolderSettings>().not.toExtend<Needed<FetchHandlerOptions>>()
    const capturing = makeRouteTable({ roots: [captureApi] })
    expectTypeOf(capturing).toEqualTypeOf(makeRouteTable<CaptureServices>())
    // @ts-expect-error the settings screens' services are missing
    const without: FetchHandlerOptions<CaptureServices> = { services: Context.empty() as never, roots: [settingsApi] }
    expect(without.roots).toHaveLength(1)
  })
})

it("pages allow their style and their script by the hashes of these", () => {
  const hashOf = (text: string) => `sha256-${createHash("sha256").update(text).digest("base64")}`
  expect([styleHash, scriptHash]).toEqual([hashOf(style), hashOf(script)])
})
