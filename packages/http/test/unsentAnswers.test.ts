import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Scope } from "effect"
import { HttpServerResponse } from "effect/http"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { serverOptions } from "../src/index.ts"
import { AnswerMemory, unsentAnswers } from "../src/unsentAnswers.ts"
import { app, makeWorld, type TestWorld } from "./world.ts"

/** The memory that all answers together have until clients have read them. */

const answerOf = (sizeBytes: number) => HttpServerResponse.uint8Array(new Uint8Array(sizeBytes))
const counted = 16 * 1024 + 1

describe("unsent answers in memory", () => {
  it("are admitted up to the limit, and not one byte beyond it until one is sent", () => {
    const memory = new AnswerMemory(2 * counted)
    let release = () => {}
    memory.hold(counted, (sent) => {
      release = sent
    })
    expect([memory.admits(answerOf(counted)), memory.isFull]).toEqual([true, false])
    expect([memory.admits(answerOf(counted + 1)), memory.isFull]).toEqual([false, true])
    release()
    expect([memory.admits(answerOf(counted + 1)), memory.isFull, memory.heldBytes]).toEqual([true, false, 0])
  })

  it("are admitted one at a time, however large, and small ones always", () => {
    const memory = new AnswerMemory(counted)
    expect(memory.admits(answerOf(3 * counted))).toBe(true)
    memory.hold(3 * counted, () => {})
    expect(memory.admits(answerOf(counted))).toBe(false)
    expect(memory.admits(answerOf(counted - 1))).toBe(true)
    memory.hold(counted - 1, () => {})
    expect(memory.heldBytes).toBe(3 * counted)
  })

  it("have a default limit of 64 MiB in all", () => {
    expect(unsentAnswers.maxBytes).toBe(64 * 1024 * 1024)
  })
})

describe("a list while the memory for answers is full", () => {
  const server = createServer(serverOptions)
  let port: number
  let world: TestWorld
  beforeAll(async () => {
    world = await makeWorld()
    const scope = Effect.runSync(Scope.make())
    const handler = NodeHttpServer.makeHandler(app, { scope })
    server.on("request", await Effect.runPromise(Effect.provideContext(handler, world.context)))
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => server.close())
  beforeEach(() => expect(unsentAnswers.heldBytes).toBe(0))

  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: "Bearer ada-token" } })

  it.each(["/api/v2/recordings", "/api/v2/users", "/api/settings/recordings", "/api/settings/users"])(
    "is 503 with Retry-After until an answer is sent: %s",
    async (path) => {
      let release = () => {}
      unsentAnswers.hold(unsentAnswers.maxBytes, (sent) => {
        release = sent
      })
      expect(unsentAnswers.admits(answerOf(counted))).toBe(false)
      const refused = await ask(path)
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"])
      expect(await refused.json()).toEqual({
        error: "The server holds as many answers that are not read as it has memory for"
      })
      expect((await ask("/api/settings/account")).status).toBe(200)
      release()
      expect((await ask(path)).status).toBe(200)
    }
  )

  it("counts an answer until its client has read it or has disconnected", async () => {
    const asked = (socket: Socket) => socket.write("GET /api/settings/openapi.json HTTP/1.1\r\nhost: x\r\n\r\n")
    // More answers than the buffers of a connection hold.
    const open = async () => {
      const socket = connect(port, "127.0.0.1")
      await once(socket, "connect")
      socket.pause()
      for (let n = 0; n < 40; n++) asked(socket)
      return socket
    }
    const until = async (holds: () => boolean) => {
      while (!holds()) await new Promise(setImmediate)
    }
    const gone = await open()
    await until(() => unsentAnswers.heldBytes > 0)
    gone.destroy()
    await until(() => unsentAnswers.heldBytes === 0)
    const reader = await open()
    await until(() => unsentAnswers.heldBytes > 0)
    reader.resume()
    await until(() => unsentAnswers.heldBytes === 0)
    reader.destroy()
  })
})
