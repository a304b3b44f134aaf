import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { type AddressInfo, connect } from "node:net"
import { connect as connectTls } from "node:tls"
import { expect, onTestFinished, test } from "vitest"
import { limitEachConnection, WriteProgress } from "../../../src/serve/edge/connections.ts"
import { first } from "../../support/certificates.ts"
import { listening } from "../../support/command.ts"
import { startedWith } from "../../support/people.ts"
import { dial, statuses } from "../../support/raw.ts"

/** More than the kernel takes on the way. */
const large = Buffer.alloc(64 * 1024 * 1024)

const sendLarge: RequestListener = (_, response) => void response.end(large)

test.each(["http", "https"])("A connection of %s whose client does not read is reset", async (protocol) => {
  const server: Server =
    protocol === "http" ? createServer(sendLarge) : createTlsServer({ cert: first.cert, key: first.key }, sendLarge)
  const stalled = new Promise<void>((resolve) =>
    limitEachConnection(
      server,
      { max_connections_per_address: 1, trusted_proxies: [], write_idle_timeout: 100 },
      { onStalled: resolve, onTooMany: () => {} }
    )
  )
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const to = { host: "127.0.0.1", port, rejectUnauthorized: false }
  const socket = protocol === "http" ? connect(to) : connectTls(to)
  onTestFinished(() => void socket.destroy())
  await once(socket, protocol === "http" ? "connect" : "secureConnect")
  socket.pause()
  const closed = new Promise<void>((resolve) => {
    server.once("request", (request) => void request.socket.once("close", resolve))
  })
  socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
  await stalled
  await closed
})

test("a connection makes progress if the kernel takes any byte, and is reset if it takes none for the maximum time", () => {
  const progress = new WriteProgress()
  const at = (sent: number, queued: number, now: number) =>
    progress.stalledMs({ bytesWritten: sent + queued, writeQueueSize: queued }, now)
  expect(at(0, 100, 0)).toBe(0)
  expect(at(0, 100, 29_999)).toBe(29_999)
  expect(at(1, 99, 30_000)).toBe(0)
  // More to write is no progress of what was there.
  expect(at(1, 500, 59_999)).toBe(29_999)
  expect(at(1, 500, 60_000)).toBe(30_000)
  // With nothing to write, it may be silent: that is keep-alive's business.
  expect(at(501, 0, 60_001)).toBe(0)
  expect(at(501, 10, 200_000)).toBe(0)
  expect(progress.stalledMs(null, 300_000)).toBe(0)
})

const head = "GET /healthz HTTP/1.1\r\nhost: a\r\n"

test("connections of an address beyond their limit are closed at once, and others are accepted when one has ended", async () => {
  const { view } = await listening([...startedWith(), "--max-connections-per-address", "2"])
  const open = [await dial(view.base_url), await dial(view.base_url)]
  for (const { socket } of open) {
    const answered = once(socket, "data")
    socket.write(`${head}\r\n`)
    await answered
  }
  const third = await dial(view.base_url)
  third.socket.write(`${head}\r\n`)
  expect(await third.closed).toBe("")
  open[0]!.socket.end()
  await open[0]!.closed
  const fourth = await dial(view.base_url)
  fourth.socket.write(`${head}connection: close\r\n\r\n`)
  expect(statuses(await fourth.closed)).toEqual([200])
})

test("a trusted proxy may have as many connections as the limit of all", async () => {
  const proxied = ["--max-connections-per-address", "1", "--trusted-proxies", "127.0.0.0/8"]
  const { view } = await listening([...startedWith(), ...proxied])
  for (const { closed, socket } of [await dial(view.base_url), await dial(view.base_url)].reverse()) {
    socket.write(`${head}connection: close\r\n\r\n`)
    expect(statuses(await closed)).toEqual([200])
  }
})
