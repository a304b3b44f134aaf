import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Fiber, Scope } from "effect"
import { HttpServerResponse } from "effect/http"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { serverOptions } from "../src/node/index.ts"
import { AnswerMemory, PageGate, unsentAnswers } from "../src/pipeline/unsentAnswers.ts"
import { app, makeWorld, type TestWorld } from "./world.ts"

/** The memory that all answers together have until clients have read them. */

const answerOf = (sizeBytes: number) => HttpServerResponse.uint8Array(new Uint8Array(sizeBytes))
const counted = 64 * 1024 + 1

const holder = (memory: AnswerMemory) => (caller: string, sizeBytes: number) => {
  const source = {}
  let release = () => {}
  let isEnded = false
  const isAdmitted = memory.admits(answerOf(sizeBytes), caller, source)
  if (isAdmitted) {
    memory.hold(sizeBytes, source, {
      onceSent: (sent) => {
        release = sent
      },
      end: () => {
        isEnded = true
      }
    })
  }
  return { isAdmitted, release: () => release(), isEnded: () => isEnded }
}

describe("unsent answers in memory", () => {
  it("are admitted up to a quarter of the memory for each caller, and not one byte beyond", () => {
    const memory = new AnswerMemory(8 * counted)
    const hold = holder(memory)
    expect(hold("other", counted).isAdmitted).toBe(true)
    const first = hold("one", counted)
    expect(hold("one", counted + 1).isAdmitted).toBe(false)
    expect(hold("one", counted).isAdmitted).toBe(true)
    expect(hold("one", counted).isAdmitted).toBe(false)
    expect(hold("other", counted).isAdmitted).toBe(true)
    first.release()
    expect(hold("one", counted).isAdmitted).toBe(true)
    expect(memory.heldBytes).toBe(4 * counted)
  })

  it("are admitted up to the limit of all, and not one byte beyond", () => {
    const hold = holder(new AnswerMemory(4 * counted))
    for (const caller of ["a", "b", "c"]) expect(hold(caller, counted).isAdmitted).toBe(true)
    expect(hold("d", counted + 1).isAdmitted).toBe(false)
    expect(hold("d", counted).isAdmitted).toBe(true)
    expect(hold("e", counted).isAdmitted).toBe(false)
  })

  it("are admitted whatever their size while there are no others, and small ones always", () => {
    const memory = new AnswerMemory(counted)
    const hold = holder(memory)
    expect(hold("one", 3 * counted).isAdmitted).toBe(true)
    expect(hold("two", 2 * counted).isAdmitted).toBe(false)
    expect(hold("one", counted - 1).isAdmitted).toBe(true)
    expect(hold("two", counted - 1).isAdmitted).toBe(true)
    expect(memory.heldBytes).toBe(3 * counted)
  })

  it("that are larger than their caller's quarter are ended, when another within its quarter needs the memory", () => {
    const memory = new AnswerMemory(16 * counted)
    const hold = holder(memory)
    const large = hold("one", 7 * counted)
    const largest = hold("two", 9 * counted)
    expect([large.isAdmitted, largest.isAdmitted]).toEqual([true, true])
    // There is no room for another large one, nor for a second one of the same caller.
    expect(hold("three", 5 * counted).isAdmitted).toBe(false)
    expect(hold("one", counted).isAdmitted).toBe(false)
    expect([large.isEnded(), largest.isEnded()]).toEqual([false, false])
    expect(hold("three", 4 * counted).isAdmitted).toBe(true)
    expect([large.isEnded(), largest.isEnded()]).toEqual([true, false])
    expect(memory.heldBytes).toBe(13 * counted)
    large.release()
    expect(memory.heldBytes).toBe(13 * counted)
    expect(hold("four", 4 * counted).isAdmitted).toBe(true)
    expect(largest.isEnded()).toBe(true)
    expect(memory.heldBytes).toBe(8 * counted)
  })

  it("have a default limit of 64 MiB in all", () => {
    expect(unsentAnswers.maxBytes).toBe(64 * 1024 * 1024)
  })
})

describe("pages that are made at a time", () => {
  /** Begins pages that do not end; the number of those that were begun. */
  const begin = async (gate: PageGate, key: string, count: number) => {
    let begun = 0
    const page = Effect.andThen(
      Effect.sync(() => void begun++),
      Effect.never
    )
    const fibers = Array.from({ length: count }, () => Effect.runFork(gate.inTurn(key, page)))
    await new Promise(setImmediate)
    for (const fiber of fibers) await Effect.runPromise(Fiber.interrupt(fiber))
    return begun
  }
  const mebibyte = 1024 * 1024

  it("are 2 while their size is not known, and as many as their bytes allow when it is", async () => {
    const gate = new PageGate(4 * mebibyte)
    expect(await begin(gate, "list", 10)).toBe(2)
    await Effect.runPromise(gate.inTurn("list", Effect.succeed(answerOf(mebibyte))))
    expect(await begin(gate, "list", 10)).toBe(4)
    await Effect.runPromise(gate.inTurn("list", Effect.succeed(answerOf(1))))
    expect(await begin(gate, "list", 100)).toBe(64)
    await Effect.runPromise(gate.inTurn("list", Effect.succeed(answerOf(100 * mebibyte))))
    expect(await begin(gate, "list", 10)).toBe(2)
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

  /** Fills the memory with answers to four callers, each of a quarter. */
  const fill = () => {
    const held = ["a", "b", "c", "d"].map((caller) => holder(unsentAnswers)(caller, unsentAnswers.maxBytes / 4))
    expect(held.map(({ isAdmitted }) => isAdmitted)).toEqual([true, true, true, true])
    const release = () => {
      for (const each of held) each.release()
    }
    return { release }
  }

  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: "Bearer ada-token" } })

  it.each(["/api/v2/recordings", "/api/v2/users", "/api/settings/recordings", "/api/settings/users"])(
    "is answered while it is small, whatever large answers others have not read: %s",
    async (path) => {
      const full = fill()
      expect((await ask(path)).status).toBe(200)
      full.release()
    }
  )

  it("is 503 with Retry-After where it is large, until an answer is sent", async () => {
    const full = fill()
    const refused = await ask("/api/settings/openapi.json")
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"])
    expect(await refused.json()).toEqual({
      error: "The server holds as many answers that are not read as it has memory for"
    })
    full.release()
    expect((await ask("/api/settings/openapi.json")).status).toBe(200)
  })

  it("ends an answer that is larger than a quarter, when another caller needs the memory", async () => {
    const large = holder(unsentAnswers)("a caller", unsentAnswers.maxBytes)
    expect((await ask("/api/settings/openapi.json")).status).toBe(200)
    expect([large.isAdmitted, large.isEnded()]).toEqual([true, true])
    expect(world.defects.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: "WARN",
        message: ["Unread responses were interrupted, because others need their memory", { responses: 1 }]
      }
    ])
  })

  /** A recording with a log that stays large when it is packed. */
  const logged = async () => {
    const json = { authorization: "Bearer ada-token", "content-type": "application/json" }
    const root = `http://127.0.0.1:${port}/api/settings/recordings`
    const made = await fetch(root, { method: "POST", headers: json, body: '{"title":"Logged"}' })
    const { uuid } = (await made.json()) as { readonly uuid: string }
    const page = { url: "https://a.test/", title: "" }
    const header = { version: 1, started_at: "2026-01-01T10:00:00.000Z", page, user_agent: "" }
    const first = { ...header, viewport: { width: 1, height: 1 }, timezone: "", language: "" }
    const random = (seq: number) => createHash("shake256", { outputLength: 3_900 }).update(`${seq}`).digest("hex")
    const marks = Array.from({ length: 40 }, (_, seq) => ({ seq, t: seq, kind: "mark", text: `x${random(seq)}` }))
    const body = [first, ...marks].map((line) => JSON.stringify(line)).join("\n")
    const headers = { ...json, "content-type": "application/x-ndjson" }
    expect((await fetch(`${root}/${uuid}/log`, { method: "PUT", headers, body })).status).toBe(200)
    return `/api/settings/recordings/${uuid}/log`
  }

  it("is 503 for a log whose stream would hold as much, and costs a log nothing when there is room", async () => {
    const path = await logged()
    const full = fill()
    expect((await ask(path)).status).toBe(503)
    full.release()
    const answers = await Promise.all([path, `${path}.har`, path, `${path}.har`].map(ask))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    for (const answer of answers) await answer.arrayBuffer()
  })

  it.each([
    ["an answer", async () => "/api/settings/openapi.json"],
    ["a log's stream", logged]
  ])("counts %s until its client has read it or has disconnected", async (_, pathOf) => {
    const path = await pathOf()
    const asked = (socket: Socket) =>
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ada-token\r\n\r\n`)
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
