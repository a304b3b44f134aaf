import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Tapedeck as EffectTapedeck } from "../src/effect/index.ts"
import { Tapedeck, TapedeckError } from "../src/index.ts"
import { makeClient } from "./support/fake.ts"

const list = { pagination: { count: 0, page: 1, items: 50, pages: 1, last_page: 1, from: 0, to: 0 }, folders: [] }
const seen: Array<string> = []
let status = 308
let address: string

/** A service behind a proxy that redirects what is not below `/to`. */
const server = createServer((request, response) => {
  const { method, url = "" } = request
  seen.push(`${method} ${url}`)
  request.resume()
  if (url.startsWith("/to/")) response.setHeader("content-type", "application/json").end(JSON.stringify(list))
  else response.writeHead(status, { location: `${address}/to${url}` }).end("Moved")
})

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const token = "tdk_secret"

const effectively = <A, E>(use: (tapedeck: EffectTapedeck["Service"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(EffectTapedeck, use).pipe(
    Effect.provide(Layer.provide(EffectTapedeck.layer({ baseUrl: address, token }), FetchHttpClient.layer)),
    Effect.runPromise
  )

describe.each([301, 302, 303, 307, 308])("a redirect with %i", (redirect) => {
  beforeAll(() => {
    status = redirect
    seen.length = 0
  })

  it("is not followed for POST, PATCH, PUT and DELETE, and the error names both addresses", async () => {
    const tapedeck = new Tapedeck({ baseUrl: address, token })
    const calls = [
      ["POST", "/api/settings/folders", () => tapedeck.settings.folders.create({ name: "VIP" })],
      ["PATCH", "/api/v2/recordings/r", () => tapedeck.recordings.update("r", { title: "Paid" })],
      ["PUT", "/api/settings/recordings/r/video", () => tapedeck.settings.recordings.upload("r", new Uint8Array(3))],
      ["DELETE", "/api/settings/folders/vip", () => tapedeck.settings.folders.delete("vip")],
      ["POST", "/api/settings/recordings/r/uploads", () => tapedeck.uploads.start("r", new Uint8Array(3))]
    ] as const
    seen.length = 0
    for (const [method, path, call] of calls) {
      const error: unknown = await Promise.resolve(call()).catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(TapedeckError)
      expect(error).toMatchObject({ status: redirect })
      expect((error as Error).message).toContain(`redirects ${method} ${address}${path} to ${address}/to${path},`)
    }
    expect(seen).toEqual(calls.map(([method, path]) => `${method} ${path}`))
  })

  it("is not followed for POST by the Effect client either", async () => {
    seen.length = 0
    const error = await effectively((tapedeck) => Effect.flip(tapedeck.settings.folders.create({ name: "VIP" })))
    expect(error._tag).toBe("HttpClientError")
    expect(error.message).toContain(
      `redirects POST ${address}/api/settings/folders to ${address}/to/api/settings/folders,`
    )
    expect(seen).toEqual(["POST /api/settings/folders"])
  })

  it("is followed for GET", async () => {
    expect(await new Tapedeck({ baseUrl: address, token }).settings.folders.list()).toEqual(list)
    expect(await effectively((tapedeck) => tapedeck.settings.folders.listPage())).toMatchObject({ folders: [] })
  })
})

it("names the address that was requested if the runtime hides where the redirect leads, as browsers do", async () => {
  const { seen: requests, tapedeck } = makeClient([
    () => Object.defineProperties(Response.error(), { type: { value: "opaqueredirect" } })
  ])
  const error: unknown = await tapedeck.settings.folders.create({ name: "VIP" }).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(TapedeckError)
  expect((error as TapedeckError).status).toBeUndefined()
  expect((error as Error).message).toContain(
    "redirects POST https://rec.test/api/settings/folders, which is not followed"
  )
  expect(requests).toHaveLength(1)
})
