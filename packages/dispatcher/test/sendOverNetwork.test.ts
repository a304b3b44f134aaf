import { Effect, Fiber } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Answer } from "../src/index.ts"
import { type NetworkAgent, sendOverNetwork } from "../src/network/index.ts"
import { type Network, openNetwork } from "./support/network.ts"
import { closeReceivers, httpReceiver, onRequest, rawReceiver, unusedUrl, writes } from "./support/receivers.ts"

/** For what is to run into its deadline: however slow the machine, it ends there. */
const shortMs = 100

let network: Network
beforeEach(async () => {
  network = await openNetwork()
})
afterEach(async () => {
  await network.close()
  await closeReceivers()
})

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"

describe("the request on the network", () => {
  it.each(["POST", "PUT", "PATCH", "DELETE"])(
    "is the %s request that was signed, with its body (W10)",
    async (method) => {
      const receiver = await httpReceiver((response) => response.end())
      const body = Buffer.from('{"title":"Größe 🎥"}')
      const headers = [
        ["content-type", "application/json"],
        ["x-b", "ü"],
        ["x-a", "2"]
      ] as const
      expect(await network.send(receiver.url, { method, headers, body })).toMatchObject({ outcome: "success" })
      const [request] = receiver.received
      expect(request).toMatchObject({ method, url: "/hook?from=test" })
      expect(request?.body.equals(body)).toBe(true)
      const sent = request!.rawHeaders.map((text) => text.toLowerCase())
      expect(sent.join("|")).toContain("content-type|application/json|x-b|ü|x-a|2")
      expect(sent.join("|")).toContain(`content-length|${body.length}`)
      expect(sent).not.toContain("transfer-encoding")
      expect(sent).not.toContain("user-agent")
    }
  )

  it("is sent once, whatever the outcome", async () => {
    const receiver = await httpReceiver((response) => response.writeHead(503).end("no"))
    await network.send(receiver.url)
    expect(receiver.received).toHaveLength(1)
  })
})

describe("a response", () => {
  it.each([200, 201, 202, 204, 299])("of the status %i is a success", async (status) => {
    const receiver = await httpReceiver((response) => response.writeHead(status).end())
    expect(await network.send(receiver.url)).toMatchObject({ outcome: "success", statusCode: status, error: null })
  })

  it.each([300, 304, 400, 401, 404, 410, 429, 500, 503, 599])("of the status %i is a failure", async (status) => {
    const receiver = await httpReceiver((response) => response.writeHead(status).end())
    expect(await network.send(receiver.url)).toMatchObject({ outcome: "failure", statusCode: status, error: null })
  })

  it.each([301, 302, 303, 307, 308])("of the status %i is not followed as a redirect (W5)", async (status) => {
    const there = await httpReceiver((response) => response.end())
    const here = await httpReceiver((response) => response.writeHead(status, { location: there.url }).end("moved"))
    expect(await network.send(here.url)).toMatchObject({ outcome: "failure", statusCode: status })
    expect(there.connections).toHaveLength(0)
  })

  it("is stored with its headers, repeated ones included, and its body as text", async () => {
    const receiver = await httpReceiver((response) =>
      response
        .writeHead(500, ["X-Twice", "a", "Set-Cookie", "c=1", "X-Twice", "b", "Set-Cookie", "d=2"])
        .end("größer 🎥")
    )
    const { response } = await network.send(receiver.url)
    const of = (name: string) => response!.headers.filter(([one]) => one === name).map(([, value]) => value)
    expect([of("x-twice"), of("set-cookie")]).toEqual([
      ["a", "b"],
      ["c=1", "d=2"]
    ])
    expect(response).toMatchObject({ body: "größer 🎥", truncated: false })
  })

  it("may follow informational responses, which are skipped", async () => {
    const receiver = await rawReceiver((socket) =>
      writes(socket, `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${ok}`)
    )
    expect(await network.send(receiver.url)).toMatchObject({ outcome: "success", statusCode: 200 })
  })
})

describe("100 Continue that was not asked for (RFC 9110, 15.2)", () => {
  const proceed = "HTTP/1.1 100 Continue\r\n\r\n"
  const hints = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"

  it.each([
    ["alone", proceed + ok],
    ["with headers", `HTTP/1.1 100 Continue\r\nx-a: b\r\n\r\n${ok}`],
    ["of HTTP/1.0, without a phrase", `HTTP/1.0 100\r\n\r\n${ok}`],
    ["before and after another interim response", proceed + hints + proceed + ok],
    ["as often as interim responses are allowed", proceed.repeat(16) + ok]
  ])("is skipped, %s", async (_title, text) => {
    const receiver = await rawReceiver((socket) => writes(socket, text))
    for (const _ of [1, 2])
      expect(await network.send(receiver.url)).toMatchObject({ outcome: "success", response: { body: "ok" } })
    expect(receiver.connections).toHaveLength(1)
  })

  it("is skipped, wherever its bytes are divided", async () => {
    for (let at = 1; at < proceed.length + 3; at++) {
      const receiver = await rawReceiver((socket) => {
        socket.setNoDelay(true)
        onRequest(socket, () => {
          socket.write((proceed + ok).slice(0, at), () => setImmediate(() => socket.write((proceed + ok).slice(at))))
        })
      })
      expect(await network.send(receiver.url)).toMatchObject({ outcome: "success", response: { body: "ok" } })
    }
  })

  it("is a reset if there are more of them than are allowed, or nothing else", async () => {
    const many = await rawReceiver((socket) => writes(socket, proceed.repeat(17) + ok))
    expect(await network.send(many.url)).toMatchObject({ outcome: "reset" })
    const only = await rawReceiver((socket) => writes(socket, proceed, { thenEnds: true }))
    expect(await network.send(only.url)).toMatchObject({ outcome: "reset", statusCode: null })
  })

  it("stays in a body", async () => {
    const receiver = await rawReceiver((socket) =>
      writes(socket, `HTTP/1.1 200 OK\r\ncontent-length: ${proceed.length}\r\n\r\n${proceed}`)
    )
    expect(await network.send(receiver.url)).toMatchObject({ outcome: "success", response: { body: proceed } })
    const later = await rawReceiver((socket) =>
      onRequest(socket, () => {
        const head = `HTTP/1.1 200 OK\r\ncontent-length: ${proceed.length}\r\n\r\n`
        socket.write(head, () => setImmediate(() => socket.write(proceed)))
      })
    )
    expect(await network.send(later.url)).toMatchObject({ outcome: "success", response: { body: proceed } })
  })
})

describe("the answer", () => {
  it("is reported once, whatever the socket does", async () => {
    const request = { method: "POST", url: "http://receiver.test/", headers: [], body: Buffer.from("x"), text: "x" }
    const controller = { abort: () => {} } as never
    const error = Object.assign(new Error("gone"), { code: "ECONNRESET" })
    for (const [outcome, size] of [
      ["success", 70_000],
      ["success", 1],
      ["timeout", 0]
    ] as const) {
      const answers: Array<Answer> = []
      const ended = Promise.withResolvers<void>()
      const agent: NetworkAgent = {
        dispatch: (_origin, _request, handler) => {
          const fail = () => handler.onResponseError?.(controller, error)
          handler.onRequestStart?.({ abort: fail } as never, {})
          handler.onResponseStart?.({ abort: fail } as never, 200, {})
          if (outcome === "success") {
            handler.onResponseData?.({ abort: fail } as never, Buffer.alloc(size, "x"))
            handler.onResponseEnd?.(controller, {})
            fail()
          }
        }
      }
      const onAnswered = (answer: Answer) => {
        answers.push(answer)
        ended.resolve()
      }
      await Effect.runPromise(sendOverNetwork(agent, request, outcome === "timeout" ? 1 : 20_000, { onAnswered }))
      expect(answers).toMatchObject([{ outcome, statusCode: 200 }])
    }
  })
})

describe("a response's headers", () => {
  it("are limited to 16 KiB, and the error says so", async () => {
    const sized = (bytes: number) =>
      rawReceiver((socket) =>
        writes(socket, `HTTP/1.1 200 OK\r\nx-a: ${"x".repeat(bytes)}\r\ncontent-length: 0\r\n\r\n`)
      )
    expect(await network.send((await sized(16_000)).url)).toMatchObject({ outcome: "success" })
    expect(await network.send((await sized(16_384)).url)).toMatchObject({
      outcome: "reset",
      error: "the response's headers were larger than 16 KiB (UND_ERR_HEADERS_OVERFLOW)"
    })
  })
})

describe("a response's body (W4)", () => {
  it.each([
    [`${"x".repeat(65_535)}ö`, "x".repeat(65_535)],
    [`${"x".repeat(65_534)}ö`, `${"x".repeat(65_534)}ö`],
    [`${"x".repeat(65_534)}€`, "x".repeat(65_534)],
    [`${"x".repeat(65_533)}🎥y`, "x".repeat(65_533)],
    [`${"x".repeat(65_532)}🎥y`, `${"x".repeat(65_532)}🎥`],
    ["🎥".repeat(40_000), "🎥".repeat(16_384)]
  ])("is cut between characters, case %#", async (sent, body) => {
    const receiver = await httpReceiver((response) => response.end(sent))
    const { response } = await network.send(receiver.url)
    expect(response?.body === body).toBe(true)
    expect(response?.truncated).toBe(sent !== body)
  })

  it("has at most 65,536 bytes as text, also if it is not UTF-8", async () => {
    const receiver = await httpReceiver((response) => response.end(Buffer.alloc(65_536, 0xff)))
    const { response } = await network.send(receiver.url)
    expect(response).toEqual({ headers: expect.anything(), body: "\ufffd".repeat(21_845), truncated: true })
  })

  const kept = 64 * 1024

  it.each([
    [0, 0, false],
    [kept - 1, kept - 1, false],
    [kept, kept, false],
    [kept + 1, kept, true],
    [3 * kept, kept, true]
  ])("of %i bytes is kept up to 64 KiB: %i", async (size, length, truncated) => {
    for (const [status, outcome] of [
      [200, "success"],
      [500, "failure"]
    ] as const) {
      const receiver = await httpReceiver((response) => response.writeHead(status).end("x".repeat(size)))
      const answer = await network.send(receiver.url)
      expect(answer).toMatchObject({ outcome, statusCode: status, response: { truncated } })
      expect(answer.response?.body).toHaveLength(length)
    }
  })

  it("that never ends is a success with a 2xx, and its connection is closed", async () => {
    const receiver = await httpReceiver((response) => {
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(16 * 1024)));
        if (!response.destroyed) response.once("drain", more)
      }
      more()
    })
    expect(await network.send(receiver.url)).toMatchObject({ outcome: "success", response: { truncated: true } })
    await receiver.allHungUp()
  })

  it("that ends before its announced length is a reset", async () => {
    const receiver = await rawReceiver((socket) =>
      writes(socket, "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this", { thenEnds: true })
    )
    expect(await network.send(receiver.url)).toMatchObject({ outcome: "reset", statusCode: 200, response: null })
  })

  it("that ends between two chunks is a reset", async () => {
    const receiver = await httpReceiver((response, _request, socket) => {
      response.write("a chunk")
      socket.end()
    })
    expect(await network.send(receiver.url)).toMatchObject({ outcome: "reset" })
  })

  it("that ends with its connection, without a length, is complete", async () => {
    const receiver = await rawReceiver((socket) =>
      writes(socket, "HTTP/1.1 200 OK\r\n\r\nall of it", { thenEnds: true })
    )
    expect(await network.send(receiver.url)).toMatchObject({ outcome: "success", response: { body: "all of it" } })
  })
})

describe("the deadline (W4)", () => {
  it("ends an attempt without an answer, and closes its connection", async () => {
    const receiver = await httpReceiver(() => {})
    expect(await network.send(receiver.url, {}, shortMs)).toEqual({
      outcome: "timeout",
      statusCode: null,
      response: null,
      error: `timed out after ${shortMs} ms`
    })
    await receiver.allHungUp()
  })

  it("ends an attempt whose headers arrive slowly", async () => {
    const receiver = await rawReceiver((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n")
      const drip = setInterval(() => socket.write("x-drip: 1\r\n"), 5)
      socket.on("close", () => clearInterval(drip))
    })
    expect(await network.send(receiver.url, {}, shortMs)).toMatchObject({ outcome: "timeout" })
    await receiver.allHungUp()
  })

  it("ends an attempt whose body arrives slowly, also after a 2xx", async () => {
    const receiver = await httpReceiver((response) => {
      const drip = setInterval(() => response.write("x"), 5)
      response.on("close", () => clearInterval(drip))
    })
    expect(await network.send(receiver.url, {}, shortMs)).toMatchObject({ outcome: "timeout", response: null })
    await receiver.allHungUp()
  })

  it("closes the connection of an attempt whose caller is interrupted before it", async () => {
    let asked: () => void
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const receiver = await httpReceiver(() => asked())
    const request = { method: "POST", url: receiver.url, headers: [], body: Buffer.from("x"), text: "x" }
    const fiber = Effect.runFork(sendOverNetwork(network.agent, request, 20_000))
    await isAsked
    await Effect.runPromise(Fiber.interrupt(fiber))
    await receiver.allHungUp()
  })
})

describe("an attempt gets no answer from", () => {
  it("a receiver that closes the connection before its answer", async () => {
    const receiver = await rawReceiver((socket) => onRequest(socket, () => socket.resetAndDestroy()))
    expect(await network.send(receiver.url)).toMatchObject({ outcome: "reset", statusCode: null, response: null })
  })

  it("a receiver that closes the connection when it is opened", async () => {
    const receiver = await rawReceiver((socket) => socket.resetAndDestroy())
    expect(await network.send(receiver.url)).toMatchObject({ outcome: "reset" })
  })

  it("a receiver that closes the connection in the middle of its headers", async () => {
    const receiver = await rawReceiver((socket) => writes(socket, "HTTP/1.1 200 OK\r\ncontent-le", { thenEnds: true }))
    expect(await network.send(receiver.url)).toMatchObject({ outcome: "reset", statusCode: null })
  })

  it("a receiver that does not speak HTTP", async () => {
    const receiver = await rawReceiver((socket) => writes(socket, "SSH-2.0-OpenSSH_9\r\n"))
    expect(await network.send(receiver.url)).toMatchObject({
      outcome: "reset",
      error: expect.stringContaining("the response was not valid HTTP")
    })
  })

  it("a receiver whose headers do not end", async () => {
    const receiver = await rawReceiver((socket) => writes(socket, `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n`))
    expect(await network.send(receiver.url)).toMatchObject({
      outcome: "reset",
      error: "the response's headers were larger than 16 KiB (UND_ERR_HEADERS_OVERFLOW)"
    })
  })

  it("a port on which no process listens", async () => {
    expect(await network.send(await unusedUrl())).toMatchObject({
      outcome: "refused",
      error: "the connection was refused (ECONNREFUSED)"
    })
  })

  it("a host that has no address", async () => {
    const answer = await network.send("http://missing.invalid/hook")
    expect(answer).toMatchObject({ outcome: "dns", error: expect.stringContaining("the host name was not resolved") })
  })
})

describe("an error is named by the stage at which it happened", () => {
  const failing = (error: Error): NetworkAgent => ({
    dispatch: (_origin, _request, handler) => handler.onResponseError?.({} as never, error)
  })

  it.each([
    ["dns", "ENOTFOUND"],
    ["dns", "EAI_AGAIN"],
    ["refused", "ECONNREFUSED"],
    ["refused", "EHOSTUNREACH"],
    ["refused", "ENETUNREACH"],
    ["timeout", "ETIMEDOUT"],
    ["timeout", "UND_ERR_CONNECT_TIMEOUT"],
    ["tls", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["tls", "CERT_HAS_EXPIRED"],
    ["tls", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ["tls", "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["tls", "ERR_SSL_WRONG_VERSION_NUMBER"],
    ["tls", "EPROTO"],
    ["reset", "ECONNRESET"],
    ["reset", "EPIPE"],
    ["reset", "UND_ERR_SOCKET"],
    ["reset", "HPE_INVALID_CONSTANT"],
    ["reset", "SOMETHING_NEW"]
  ])("%s is the stage of %s", async (outcome, code) => {
    const request = { method: "POST", url: "https://receiver.test/", headers: [], body: Buffer.from("x"), text: "x" }
    const error = Object.assign(new Error("with a secret in it"), { code })
    for (const thrown of [error, new Error("wrapped", { cause: error })]) {
      const answer = await Effect.runPromise(sendOverNetwork(failing(thrown), request, 20_000))
      expect(answer).toMatchObject({ outcome, statusCode: null, response: null })
      expect(answer.error).toContain(code)
      expect(answer.error).not.toContain("secret")
    }
  })
})
