import { once } from "node:events"
import { type ClientRequest, createServer, type IncomingMessage, request } from "node:http"
import { type AddressInfo, connect } from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Scope } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { serverOptions } from "../src/node/index.ts"
import { ids } from "./fixtures.ts"
import { app, makeWorld, type TestWorld } from "./world.ts"

/** What only a socket shows: framing, HEAD, bodies without a length, targets that no URL class would send. */

const server = createServer(serverOptions)
let port: number
let world: TestWorld
beforeAll(async () => {
  world = await makeWorld()
  const scope = Effect.runSync(Scope.make())
  server.on(
    "request",
    await Effect.runPromise(Effect.provideContext(NodeHttpServer.makeHandler(app, { scope }), world.context))
  )
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

const headers = { authorization: "Bearer ada-token" }

const send = async (
  options: { path: string; method?: string; headers?: Record<string, string> },
  write: (request: ClientRequest) => void = (sent) => sent.end()
) => {
  const sent = request({ host: "127.0.0.1", port, agent: false, ...options })
  write(sent)
  const [response] = (await once(sent, "response")) as [IncomingMessage]
  const chunks: Array<Buffer> = []
  for await (const chunk of response) chunks.push(chunk)
  return { status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() }
}

it("a file is sent with its length, and HEAD has no body", async () => {
  const path = `/api/v2/recordings/${ids.bobs}/download`
  const get = await send({ path, headers })
  expect(get).toMatchObject({ status: 200, text: "0123456789", headers: { "content-length": "10" } })
  expect(get.headers["transfer-encoding"]).toBe(undefined)
  const head = await send({ path, method: "HEAD", headers })
  expect(head).toMatchObject({ status: 200, text: "", headers: { "content-length": "10", etag: get.headers.etag } })
  const part = await send({ path, headers: { ...headers, range: "bytes=2-4" } })
  expect(part).toMatchObject({ status: 206, text: "234", headers: { "content-range": "bytes 2-4/10" } })
})

it("JSON is sent with its length, for HEAD too, and with one Date", async () => {
  const get = await send({ path: "/api/v2/recordings", headers })
  const head = await send({ path: "/api/v2/recordings", method: "HEAD", headers })
  expect(head.headers["content-length"]).toBe(get.headers["content-length"])
  expect(head.text).toBe("")
  expect(get.headers.date).toBe("Sun, 01 Mar 2026 12:00:00 GMT")
})

it("the size of a chunked body is limited after authentication (R1)", async () => {
  const json = { "content-type": "application/json" }
  const sendLarge = (sent: ClientRequest) => {
    for (let i = 0; i < 17; i++) sent.write("x".repeat(64 * 1024))
    sent.end()
  }
  const path404 = "/api/v2/recordings/x"
  const large = await send({ path: path404, method: "PATCH", headers: { ...headers, ...json } }, sendLarge)
  expect(large).toMatchObject({ status: 413, text: '{"error":"The body is larger than 1 MiB"}' })
  const path = `/api/v2/recordings/${ids.freshchat}`
  const small = await send({ path, method: "PATCH", headers: { ...headers, ...json } }, (sent) => {
    sent.write('{"recording":{"ti')
    sent.end('tle":"In pieces"}}')
  })
  expect(JSON.parse(small.text)).toMatchObject({ title: "In pieces" })
})

it("a chunked body is refused with 401 before it is read (R1)", async () => {
  const json = { "content-type": "application/json" }
  const { status } = await send({ path: "/api/v2/recordings/x", method: "PATCH", headers: json }, (sent) => {
    sent.write("{")
  })
  expect(status).toBe(401)
})

it("a body with too large a length is refused before it is read", async () => {
  const sent = { "content-type": "application/json", "content-length": String(2 * 1024 * 1024) }
  const { status } = await send({ path: "/api/v2/recordings/x", method: "PATCH", headers: sent }, (request) => {
    request.write("{")
  })
  expect(status).toBe(413)
})

it("the body of a GET is ignored (R21)", async () => {
  const form = { ...headers, "content-type": "application/x-www-form-urlencoded" }
  const { status } = await send({ path: "/api/v1/recordings", headers: form }, (sent) => sent.end("page=0"))
  expect(status).toBe(200)
})

/** The status line that a hand-written request is answered with. */
const raw = async (target: string): Promise<string> => {
  const socket = connect(port, "127.0.0.1")
  socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  let answer = ""
  for await (const chunk of socket) answer += chunk
  return answer.split("\r\n")[0] ?? ""
}

it.each([
  ["/api/v2/recordings", "401 Unauthorized"],
  ["http://x/api/v2/recordings", "401 Unauthorized"],
  ["//api/v2/recordings", "404 Not Found"],
  ["/api/../api/v2/recordings", "401 Unauthorized"],
  ["*", "404 Not Found"],
  ["/%", "404 Not Found"],
  [`/${"x".repeat(8192)}`, "414 URI Too Long"]
])("the target %s is answered with its status", async (target, status) => {
  expect(await raw(target)).toBe(`HTTP/1.1 ${status}`)
})

it("a recording is sent byte for byte as without a socket", async () => {
  const path = `/api/v2/recordings/${ids.adas}`
  const one = await send({ path, headers })
  const text = await (await world.fetch(path)).text()
  expect(one.text).toBe(text)
  expect(one.headers["content-length"]).toBe(String(Buffer.byteLength(text)))
})

it("a list, which is encoded in pieces, is sent byte for byte as without a socket", async () => {
  const list = await send({ path: "/api/v2/recordings?page=1", headers })
  const text = await (await world.fetch("/api/v2/recordings?page=1")).text()
  expect(text).toContain("Große Überraschung")
  expect(list.text).toBe(text)
  expect(list.headers["content-length"]).toBe(String(Buffer.byteLength(text)))
})

it.each([0, 1, 1_000, 16 * 1024, 16 * 1024 + 1, 300_000])("%i bytes are sent unchanged", async (size) => {
  const bytes = Uint8Array.from({ length: size + 3 }, (_, index) => (index * 131) % 256).subarray(3)
  const one = createServer(serverOptions, (_, response) => {
    response.writeHead(200, { "content-length": size })
    response.end(bytes)
  })
  one.listen(0, "127.0.0.1")
  await once(one, "listening")
  const answer = await fetch(`http://127.0.0.1:${(one.address() as AddressInfo).port}`)
  expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true)
  one.close()
})

it("pipelined requests of lists are answered in order", async () => {
  const one = `GET /api/v2/recordings HTTP/1.1\r\nHost: x\r\nAuthorization: ${headers.authorization}\r\n`
  const socket = connect(port, "127.0.0.1")
  socket.write(`${one}\r\n${one}Connection: close\r\n\r\n`)
  let answers = ""
  for await (const piece of socket.setEncoding("utf8")) answers += piece
  const [first, second] = answers.split(/(?=HTTP\/1.1 200)/).map((answer) => answer.split("\r\n\r\n")[1])
  expect(JSON.parse(first ?? "").records).toHaveLength(5)
  expect(second).toBe(first)
})
