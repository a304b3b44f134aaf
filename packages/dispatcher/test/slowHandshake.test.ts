import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { Worker } from "node:worker_threads"
import { Result } from "effect"
import { afterEach, expect, it } from "vitest"
import { networkPolicy, parseCidrs } from "../src/network/index.ts"
import { guarded } from "../src/network/routes.ts"

const closing: Array<() => unknown> = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Accepts connections once `gate` is open. Until then the kernel drops each SYN beyond two connections. */
const acceptor = `
  const { createServer } = require("node:net")
  const { parentPort, workerData } = require("node:worker_threads")
  const server = createServer(() => {}).listen({ host: "127.0.0.1", port: 0, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    Atomics.wait(workerData, 0, 0)
  })
`

/** A host on loopback that does not complete handshakes until `open` is called. */
const slowHost = async () => {
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(acceptor, { eval: true, workerData: gate })
  const open = () => {
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
  }
  const [port] = (await once(worker, "message")) as [number]
  const waiting = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")]
  closing.push(() => {
    open()
    for (const socket of waiting) socket.destroy()
    return worker.terminate()
  })
  await Promise.all(waiting.map((socket) => once(socket, "connect")))
  return { port, open }
}

/** Calls `act` when a socket has sent its first SYN. */
const afterFirstSyn = (act: () => void) => {
  const listen = (message: unknown) =>
    (message as { readonly socket: Socket }).socket.once("connectionAttempt", () => setImmediate(act))
  subscribe("net.client.socket", listen)
  closing.push(() => unsubscribe("net.client.socket", listen))
}

it("a receiver with an IPv4 and an IPv6 address is reached by IPv4 though its first SYN is lost and IPv6 is not reachable", async () => {
  const { open, port } = await slowHost()
  afterFirstSyn(open)
  // Nothing listens at the IPv6 address, so it refuses at once, as an unreachable network does.
  const resolve = async () => ({ addresses: ["127.0.0.1", "::1"], ttlSeconds: 0 })
  const policy = networkPolicy(Result.getOrThrow(parseCidrs(["127.0.0.1/32", "::1/128"])))
  const to = { secure: false, host: "receiver.test", port }
  const socket = await guarded(policy, resolve)(to, new AbortController().signal)
  closing.push(() => socket.destroy())
  expect(socket.remoteAddress).toBe("127.0.0.1")
})
