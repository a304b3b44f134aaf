import { createServer } from "node:http"
import { getRequestListener, serve as serveHono } from "@hono/node-server"
import { createRequestHandler, type ServerBuild } from "@remix-run/server-runtime"
import { Hono } from "hono"
import type { NextRequest } from "next/server.js"
import { expect, test } from "vitest"
import { webhook } from "../src/adapters/fetch.ts"
import type { Delivery } from "../src/adapters/receiver.ts"
import { listen, receiverSuite, secret, serve, signed, timestamp, type Work } from "../test/support/receiverSuite.ts"
import { nextRoute } from "./nextRoute.ts"

const options = { secret, now: timestamp * 1000 }

const handlerOf = (work: Work) => (delivery: Delivery) => {
  const answer = work(delivery)
  return answer && new Response(answer.text, { status: answer.status })
}

receiverSuite("fetch, served by Hono on Node", (given, work) => {
  const hook = webhook(given, handlerOf(work))
  const app = new Hono()
  app.all("/hook", (context) => hook(context.req.raw))
  app.onError((_error, context) => context.text("failed", 500))
  return serve(serveHono({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as ReturnType<typeof createServer>)
})

receiverSuite("fetch, in a Next.js route handler", (given, work) => {
  const hook = webhook<NextRequest>(given, handlerOf(work))
  return listen(nextRoute({ POST: hook, PUT: hook, PATCH: hook, DELETE: hook }))
})

receiverSuite("fetch, in a Remix action", (given, work) => {
  const hook = webhook(given, handlerOf(work))
  const action = ({ request }: { request: Request }) => hook(request)
  const handle = createRequestHandler(remixBuild(action), "production")
  return serve(createServer(getRequestListener((request) => handle(request))))
})

/** What Remix's compiler makes of an application with one resource route. */
const remixBuild = (action: (input: { request: Request }) => Promise<Response>): ServerBuild => {
  const route = { id: "hook", path: "hook", module: { action: action as never, default: undefined as never } }
  return {
    entry: { module: { default: () => new Response(), handleError: () => undefined } },
    routes: { hook: route },
    assets: { entry: { imports: [], module: "" }, routes: {}, url: "", version: "1" },
    publicPath: "/",
    assetsBuildDirectory: "",
    future: {} as ServerBuild["future"],
    isSpaMode: false,
    mode: "production"
  }
}

const post = (init: RequestInit = {}, body = `{"a":1}`) =>
  new Request("http://localhost/hook", { method: "POST", headers: signed(body), body, ...init })

test("the adapter is a function from Request to Response and needs nothing else (Workers, Deno, Bun)", async () => {
  const hook = webhook(options, (delivery, request: Request) => Response.json([delivery.json(), request.method]))
  expect(await (await hook(post())).json()).toEqual([{ a: 1 }, "POST"])
  expect((await webhook(options, () => undefined)(post())).status).toBe(204)
})

test("the error for a request that was read before says so", async () => {
  const hook = webhook(options, () => undefined)
  const read = post()
  await read.json()
  const locked = post()
  locked.body?.getReader()
  for (const request of [read, locked]) {
    const response = await hook(request)
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({
      code: "body_parsed",
      error:
        "The body of this request was read by something else before, and cannot be read twice. Call this before " +
        "request.json() and request.text(), or give it a request.clone() that was made before them."
    })
  }
  const original = post()
  const copy = original.clone()
  await original.json()
  expect((await hook(copy)).status).toBe(204)
})

test("in Hono, the error behind a middleware that reads the body says so too", async () => {
  const app = new Hono()
  app.use(async (context, next) => {
    await context.req.json()
    await next()
  })
  const hook = webhook(options, () => undefined)
  app.post("/hook", (context) => hook(context.req.raw))
  expect((await app.request(post())).status).toBe(500)
})

test("a runtime without Request.body is supported through arrayBuffer", async () => {
  const given = post()
  const request = {
    headers: given.headers,
    body: undefined,
    bodyUsed: false,
    arrayBuffer: () => given.arrayBuffer()
  }
  expect((await webhook(options, () => undefined)(request)).status).toBe(204)
  const large = { ...request, arrayBuffer: async () => new ArrayBuffer(11) }
  expect((await webhook({ ...options, maxBodyBytes: 10 }, () => undefined)(large)).status).toBe(413)
})

test("a body that is cut off is answered with 400", async () => {
  const body = new ReadableStream({
    start: (controller) => controller.error(new Error("connection lost"))
  })
  const response = await webhook(options, () => undefined)(post({ body, duplex: "half" } as RequestInit))
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: "body_interrupted" })
})

test("at most 16 MiB of an endless body are read, and almost nothing is kept", async () => {
  let sent = 0
  const chunk = new Uint8Array(65_536)
  const body = new ReadableStream({
    pull(controller) {
      sent += chunk.length
      controller.enqueue(chunk)
    }
  })
  const response = await webhook(options, () => undefined)(post({ body, duplex: "half" } as RequestInit))
  expect(response.status).toBe(413)
  expect(sent).toBeLessThan(19_000_000)
})
