import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { openApiV2 } from "@tapedeck/contract"
import { Effect, Layer, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { beforeEach, expect, it, onTestFinished, vi } from "vitest"
import { Tapedeck } from "../src/effect/index.ts"
import * as client from "../src/index.ts"
import { sign } from "../src/signing.ts"
import type { Seen } from "./support/fake.ts"
import { makeClient } from "./support/fake.ts"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code!)

const uuid = "7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"
const recording = { uuid, title: "Checkout fails", metadata: { url: `https://rec.test/r/${uuid}` } }
const video = { "content-type": "video/webm", "content-length": "5", etag: '"1"' }

/** A service that knows what the README asks for. */
const service = ({ headers, method, url }: Seen): Response => {
  const path = url.pathname.replace(/^\/api\//, "")
  if (method === "POST" && path.endsWith("/uploads")) {
    return new Response(null, { status: 201, headers: { location: `${url.pathname}/u1` } })
  }
  if (path.endsWith("/uploads/u1")) return new Response(null, { headers: { "upload-offset": "5" } })
  if (path.endsWith("/download")) {
    const range = { ...video, "content-range": "bytes 0-1/5" }
    return headers.has("range")
      ? new Response("by", { status: 206, headers: range })
      : new Response("bytes", { headers: video })
  }
  if (path === "v2/users/search") return Response.json({ email: "ada@acme.test" })
  if (path.endsWith("/transcript")) {
    return Response.json({ pagination: { count: 1 }, segments: [{ start_seconds: 0, text: "Hello" }] })
  }
  if (path === "v2/recordings") return Response.json({ pagination: { count: 1, page: 1 }, records: [recording] })
  return Response.json(recording)
}

const event = {
  event: "recording.added_to_folder",
  timestamp: "2026-01-01T00:00:00.000Z",
  recording: {
    ...{ id: uuid, title: "Checkout fails", url: "", video_url: "", thumbnail_url: "", customer_email: "" },
    ...{ duration: null, browser: "", os: "", console_errors: [], network_errors: [], created_at: "" }
  },
  folder: { id: "vip", name: "VIP" },
  account: { id: "1", name: "Acme" }
}
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const body = JSON.stringify(event)

const log = vi.fn()
const work = vi.fn()
const comment = vi.fn()
const upsert = vi.fn()
const keep = vi.fn()
const routes = new Map<string, (...given: ReadonlyArray<unknown>) => unknown>()
const router = {
  post: (path: string, ...handlers: ReadonlyArray<(...given: ReadonlyArray<unknown>) => unknown>) =>
    routes.set(path, handlers.at(-1)!)
}

/** Runs the one block that holds `text`, and gives what it exports. */
const run = async (text: string): Promise<Record<string, unknown>> => {
  const found = blocks.filter((code) => code.includes(text))
  expect(found, `one block with ${text}`).toHaveLength(1)
  const code = stripTypeScriptTypes(found[0]!)
    .replace(/^import .*$/gm, "")
    .replace(/^export const /gm, "exported.")
  const { seen, tapedeck } = makeClient([service])
  const headers = await sign({
    scheme: "standard",
    body,
    secret,
    id: "msg_1",
    timestamp: Math.floor(Date.now() / 1000)
  })
  const Tapedeck = new Proxy(client.Tapedeck, { construct: () => tapedeck })
  const exported: Record<string, unknown> = {}
  const names = {
    ...client,
    ...{ Tapedeck, tapedeck, uuid, blob: new Blob(["bytes"]), keep, secret, body, headers, work, exported },
    ...{
      app: router,
      hono: router,
      express: { raw: () => undefined },
      warehouse: { upsert },
      ticket: { id: "4711", comment }
    },
    console: { log, error: log }
  }
  // A block that gives `tapedeck` or another of these names itself shadows ours.
  const body_ = `return (async () => { ${code} })()`
  await new Function(...Object.keys(names), body_)(...Object.values(names))
  return { exported, headers, seen }
}

beforeEach(() => {
  for (const mock of [log, work, comment, upsert, keep]) mock.mockClear()
})

it("the README's quick start runs", async () => {
  await run("new Tapedeck({")
  expect(log).toHaveBeenCalledWith("Checkout fails", recording.metadata.url)
})

it("the README's lists run", async () => {
  await run("page.hasNextPage")
  expect(log).toHaveBeenCalledWith(0, "Hello")
})

it("the README's downloads and uploads run", async () => {
  const { seen } = await run("video.range(0, 1023)")
  expect((seen as ReadonlyArray<Seen>).map(({ headers }) => headers.get("range"))).toEqual([null, "bytes=0-1023"])
  await run("uploads.start")
  expect(keep).toHaveBeenCalledOnce()
})

it("the README's handling of errors and the raw response runs", async () => {
  await run("error instanceof NotFoundError")
  await run("withResponse()")
})

it("the README's recipes run", async () => {
  await run("warehouse.upsert")
  expect(upsert).toHaveBeenCalledWith(uuid, recording)
  await run("ticket.comment")
  expect(comment).toHaveBeenCalledWith(`Checkout fails: ${recording.metadata.url}`)
})

it("the README's receivers run: bare, in Express, Hono and Next.js", async () => {
  await run('"recording" in event')
  expect(log).toHaveBeenCalledWith("Checkout fails", "VIP")

  const express = await run("express.raw")
  const sendStatus = vi.fn()
  await routes.get("/hook")!({ body: Buffer.from(body), headers: express.headers }, { sendStatus })
  expect(sendStatus).toHaveBeenCalledWith(204)

  const hono = await run("hono.post")
  const raw = new Request("https://receiver.test", {
    method: "POST",
    body,
    headers: hono.headers as Record<string, string>
  })
  await routes.get("/hook")!({ req: { raw, arrayBuffer: () => raw.arrayBuffer() }, body: () => new Response(null) })

  const next = await run("app/hook/route.ts")
  const { POST } = next.exported as { readonly POST: (request: Request) => Promise<Response> }
  const headers = next.headers as Record<string, string>
  const response = await POST(new Request("https://receiver.test", { method: "POST", body, headers }))
  expect(response.status).toBe(204)
  expect(work.mock.calls).toEqual([[event], [event], [event]])
})

it("the README's operations as Effects run", async () => {
  const { paths } = openApiV2({ vendor: "tapedeck" })
  const example = (path: string) => paths[path]?.get?.responses["200"]?.content?.["application/json"]?.example
  vi.stubGlobal("fetch", async (url: URL) =>
    Response.json(example(url.pathname === "/api/v2/recordings" ? "/recordings" : "/recordings/{uuid}"))
  )
  onTestFinished(() => {
    vi.unstubAllGlobals()
  })
  const found = blocks.find((code) => code.includes("@tapedeck/client/effect"))!
  const code = found.replace(/^import .*$/gm, "").replace("await Effect", "return Effect")
  const names = { Effect, FetchHttpClient, Layer, Stream, Tapedeck, console: { log }, token: "t", uuid }
  const run = new Function(...Object.keys(names), code) as (...values: ReadonlyArray<unknown>) => Promise<unknown>
  expect(await run(...Object.values(names))).toEqual(example("/recordings/{uuid}"))
  expect(log).toHaveBeenCalledOnce()
})

it("every code block of the README is run", () => {
  expect(blocks).toHaveLength(13)
})
