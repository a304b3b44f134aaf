import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { startEmulator } from "@tapedeck/emulator"
import { describe, expect, onTestFinished, test } from "vitest"
import { helpdesk, recordingUuid } from "./support/helpdesk.ts"

type Running = Awaited<ReturnType<typeof startEmulator>>

const authorization = "authorization: Bearer ada-token"
const recording = `/api/v2/recordings/${recordingUuid}`

/** A connection of its own that has sent this text. */
const sent = async ({ url }: Running, lines: ReadonlyArray<string>, body = "") => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => {
    socket.destroy()
  })
  socket.on("error", () => {})
  await once(socket, "connect")
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`)
  return socket
}

const closed = (socket: Awaited<ReturnType<typeof sent>>) =>
  new Promise<void>((resolve) => (socket.closed ? resolve() : socket.once("close", () => resolve())))

/** A receiver that never answers. */
const silentReceiver = async () => {
  const requested = Promise.withResolvers<void>()
  const server = createServer(() => requested.resolve())
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requested: requested.promise }
}

const post = (path: string, length: number, ...more: ReadonlyArray<string>) => [
  `POST ${path} HTTP/1.1`,
  "host: localhost",
  "content-type: application/json",
  `content-length: ${length}`,
  ...more
]

/** Opens each kind of request, and resolves once the emulator is at it. */
const kinds: ReadonlyArray<readonly [string, (emulator: Running) => Promise<unknown>]> = [
  [
    "a request that a fault reset",
    async (emulator) => {
      await emulator.fetch("/_emulator/faults", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ match: { path: recording }, respond: ["reset"] })
      })
      await closed(await sent(emulator, [`GET ${recording} HTTP/1.1`, "host: localhost", authorization]))
    }
  ],
  ["a connection without a request", (emulator) => sent(emulator, [])],
  [
    "a head that has not ended",
    async (emulator) => (await sent(emulator, ["GET / HTTP/1.1"])).write("host: localhost\r\n")
  ],
  [
    "a connection that is kept alive",
    async (emulator) =>
      once(await sent(emulator, [`GET ${recording} HTTP/1.1`, "host: localhost", authorization]), "data")
  ],
  ["a body that has not ended", (emulator) => sent(emulator, post("/_emulator/faults", 100), "{")],
  [
    "an upload that has not ended",
    (emulator) =>
      sent(emulator, [
        `PUT /api/settings/recordings/${recordingUuid}/video HTTP/1.1`,
        "host: localhost",
        authorization,
        "content-type: video/mp4",
        "content-length: 1000"
      ])
  ],
  [
    "a body that waits for 100 Continue",
    async (emulator) => sent(emulator, post("/_emulator/faults", 100, "expect: 100-continue"))
  ],
  [
    "a wait for the journal",
    async (emulator) => {
      const body = JSON.stringify({ match: { kind: "mail" }, timeout_ms: 60_000 })
      await sent(emulator, post("/_emulator/journal/wait", body.length), body)
    }
  ],
  [
    "a wait for the journal in process",
    async (emulator) => {
      emulator.journal.wait({ match: { kind: "mail" }, timeout_ms: 60_000 }).catch(() => {})
    }
  ],
  [
    "a move whose receiver does not answer",
    async (emulator) => {
      const receiver = await silentReceiver()
      const world = await emulator.createWorld({
        config: { real_timeout_ms: 60_000 },
        fixtures: { ...helpdesk, automations: [{ folder: "vip", url: receiver.url }] }
      })
      await world.addToFolder("vip", recordingUuid)
      const body = JSON.stringify({ next: true })
      await sent(emulator, post(`/worlds/${world.id}/_emulator/clock/advance`, body.length), body)
      await receiver.requested
    }
  ],
  [
    "an answer that is not read",
    async (emulator) => {
      const put = await emulator.fetch(`/_emulator/recordings/${recordingUuid}/video/original`, {
        method: "PUT",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ base64: Buffer.alloc(8 * 1024 ** 2).toString("base64"), content_type: "video/mp4" })
      })
      expect(put.status).toBe(200)
      const get = `GET ${recording}/download HTTP/1.1`
      const socket = await sent(emulator, [get, "host: localhost", authorization])
      await once(socket, "readable")
    }
  ]
]

describe("close", () => {
  test.each(kinds)("ends beside %s", async (_kind, open) => {
    const emulator = await startEmulator({ fixtures: helpdesk })
    await open(emulator)
    // A request of its own, answered: the emulator has read what was sent before.
    await fetch(`${emulator.url}/_emulator`)
    await emulator.close()
    await expect(emulator.fetch("/")).rejects.toThrow("the emulator is closed")
  })
})
