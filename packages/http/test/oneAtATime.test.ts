import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { afterEach, expect, it } from "vitest"
import { clientFault, HttpServer, rawRefusal, refuseClient, serverOptions, watchAnswers } from "../src/node/index.ts"

/** One connection has one request answered at a time. */

const closing: Array<() => void> = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const serve = async () => {
  const server = new HttpServer(serverOptions)
  const begun: Array<{ readonly url: string; readonly response: ServerResponse }> = []
  let wake = () => {}
  const listener = ({ url = "" }: { url?: string }, response: ServerResponse) => {
    begun.push({ url, response })
    wake()
  }
  watchAnswers(server)
  server.on("request", listener)
  server.on("checkContinue", listener)
  server.on("clientError", (error, socket: Socket) =>
    refuseClient(error, socket, rawRefusal(clientFault(error), { requestId: "x", date: "y" }))
  )
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const open = async () => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
    await once(socket, "connect")
    let received = ""
    socket.on("data", (piece) => {
      received += piece.toString()
    })
    closing.push(() => socket.destroy())
    return { socket, received: () => received }
  }
  closing.push(() => server.close())
  const untilBegun = async (count: number) => {
    while (begun.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return { begun, open, untilBegun }
}

const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`

it("pipelined requests begin one after another, and are answered in their order", async () => {
  const { begun, open, untilBegun } = await serve()
  const count = 1_000
  const greedy = await open()
  greedy.socket.write(Array.from({ length: count }, (_, n) => get(`/${n}`)).join(""))
  await untilBegun(1)
  const other = await open()
  other.socket.write(get("/other"))
  await untilBegun(2)
  expect(begun.map(({ url }) => url)).toEqual(["/0", "/other"])
  begun[0]?.response.end("0;")
  for (let n = 1; n < count; n++) {
    await untilBegun(n + 2)
    expect(begun).toHaveLength(n + 2)
    begun[n + 1]?.response.end(`${n};`)
  }
  const answered = begun.slice(2).map(({ url }) => url)
  expect(answered).toEqual(Array.from({ length: count - 1 }, (_, n) => `/${n + 1}`))
})

it("a request with a body waits for the answer before it, and has all of its body then", async () => {
  const { begun, open, untilBegun } = await serve()
  const { socket } = await open()
  const body = "x".repeat(300_000)
  socket.write(`${get("/first")}POST /second HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  await untilBegun(1)
  begun[0]?.response.end()
  await untilBegun(2)
  let sizeBytes = 0
  for await (const piece of begun[1]!.response.req) sizeBytes += (piece as Buffer).length
  expect(sizeBytes).toBe(body.length)
})

it("what waits is dropped with its connection", async () => {
  const { begun, open, untilBegun } = await serve()
  const { socket } = await open()
  socket.write(get("/1") + get("/2"))
  await untilBegun(1)
  const closed = once(begun[0]!.response, "close")
  socket.destroy()
  begun[0]?.response.write("x".repeat(10_000_000))
  await closed
  const later = await open()
  later.socket.write(get("/3"))
  await untilBegun(2)
  expect(begun.map(({ url }) => url)).toEqual(["/1", "/3"])
})

it("a malformed request ends the connection after the answers to all requests before it", async () => {
  const { begun, open, untilBegun } = await serve()
  const { received, socket } = await open()
  socket.write(`${get("/1")}${get("/2")}nonsense\r\n\r\n`)
  await untilBegun(1)
  begun[0]?.response.end("one")
  await untilBegun(2)
  begun[1]?.response.end("two")
  await once(socket, "close")
  expect(received()).toMatch(/one.*two/s)
})
