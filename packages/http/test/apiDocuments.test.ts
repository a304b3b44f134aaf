import { defaultServiceConfig, ServiceConfig } from "@tapedeck/core"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { AppOptions, defaultAppOptions } from "../src/index.ts"
import { apiDocument, type DocumentPath, maxCachedDocuments } from "../src/pages/apiDocuments.ts"
import { makeWorld } from "./world.ts"

/** Documents for everyone: they are built once for each configuration. */

const paths: ReadonlyArray<DocumentPath> = [
  "/api/v2/openapi.json",
  "/api/v1/openapi.json",
  "/api/settings/openapi.json",
  "/api/capture/openapi.json",
  "/api/docs"
]

const built = (path: DocumentPath, config: Partial<ServiceConfig["Service"]> = {}, base = "") =>
  Effect.runSync(
    apiDocument(path).pipe(
      Effect.provideService(ServiceConfig, { ...defaultServiceConfig, ...config }),
      Effect.provideService(AppOptions, { ...defaultAppOptions, basePath: base })
    )
  )

it.each(paths)("is built once, with its bytes and their number, and anew for another configuration: %s", (path) => {
  const first = built(path)
  expect(built(path)).toBe(first)
  const { body } = first
  expect(body._tag === "Uint8Array" && body.contentLength).toBeGreaterThan(1_000)
  const others = [built(path, { vendor: "other" }), built(path, { pageSize: 7 }), built(path, {}, "/worlds/w1")]
  expect(new Set([first, ...others]).size).toBe(4)
})

it("is kept for the configurations that were requested last, up to the maximum", () => {
  const path = "/api/v1/openapi.json"
  const first = built(path, {}, "/worlds/0")
  for (let n = 1; n < maxCachedDocuments; n++) built(path, {}, `/worlds/${n}`)
  expect(built(path, {}, "/worlds/0")).toBe(first)
  for (let n = 0; n < maxCachedDocuments; n++) built(path, {}, `/worlds/more-${n}`)
  expect(built(path, {}, "/worlds/0")).not.toBe(first)
})

it.each(paths)("HEAD has the length of GET: %s", async (path) => {
  const world = await makeWorld()
  const get = await world.fetch(path, { as: null })
  const head = await world.fetch(path, { as: null, method: "HEAD" })
  expect((await get.arrayBuffer()).byteLength).toBe(Number(head.headers.get("content-length")))
})
