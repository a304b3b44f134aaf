import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setImmediate } from "node:timers/promises"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { BodyProgress, limitConnections, slowBodyBytes, slowBodyMs } from "../../../src/serve/edge/limits.ts"
import { listening } from "../../support/command.ts"
import { adminToken, asAdmin, recording, startedWith } from "../../support/people.ts"
import { dial, lastBody, statuses } from "../../support/raw.ts"

const head = (...lines: ReadonlyArray<string>) => ["GET /healthz HTTP/1.1", "host: a", ...lines, "", ""].join("\r\n")

describe("A server with limits", () => {
  test("ends a connection whose headers arrive too slowly", async () => {
    const { view } = await listening([...startedWith(), "--headers-timeout", "PT0.2S"])
    const { closed, socket } = await dial(view.base_url)
    socket.write("GET /healthz HTTP/1.1\r\nhost: a\r\nx-slow: ")
    const text = await closed
    expect(statuses(text)).toEqual([408])
    expect(lastBody(text)).toEqual({ error: "The request did not come in time" })
  })

  test("ends a request whose body makes no progress", async () => {
    const server = await listening([...startedWith(), "--body-idle-timeout", "PT0.2S"])
    const { view } = server
    for (const [length, sent] of [
      ["content-length: 100", '{"recording":'],
      ["transfer-encoding: chunked", '6\r\n{"reco']
    ]) {
      const { closed, socket } = await dial(view.base_url)
      socket.write(
        `PATCH /api/v2/recordings/${recording} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${adminToken}\r\n` +
          `content-type: application/json\r\n${length}\r\n\r\n${sent}`
      )
      const text = await closed
      expect(statuses(text)).toEqual([408])
      expect(lastBody(text)).toEqual({ error: "The body did not arrive in time" })
    }
    const read = await fetch(`${view.base_url}/api/v2/recordings/${recording}`, { headers: asAdmin })
    expect(((await read.json()) as { readonly title: string }).title).toBe("One")
    await server.stop()
    // A caller's mistake is neither a warning nor an error of the server.
    expect(server.output.err).not.toMatch(/"level":"(warn|error)"/)
  })

  test("closes connections beyond their limit at once, and accepts others when one has ended", async () => {
    const { view } = await listening([...startedWith(), "--max-connections", "2"])
    const [one, two] = [await dial(view.base_url), await dial(view.base_url)]
    for (const { socket } of [one, two]) {
      const answered = new Promise((resolve) => socket.once("data", resolve))
      socket.write(head())
      await answered
    }
    const three = await dial(view.base_url)
    three.socket.write(head())
    expect(await three.closed).toBe("")
    one.socket.end()
    await one.closed
    const four = await dial(view.base_url)
    four.socket.write(head("connection: close"))
    expect(statuses(await four.closed)).toEqual([200])
  })

  test("refuses malformed HTTP in the shape of its other refusals, and closes the connection", async () => {
    const { view } = await listening([...startedWith(), "--max-header-size", "8KB", "--max-headers", "20"])
    const answer = async (text: string) => {
      const { closed, socket } = await dial(view.base_url)
      socket.write(text)
      return closed
    }
    const garbage = await answer("\x16\x03\x01\x02\x00\x01\r\n\r\n")
    expect([statuses(garbage), lastBody(garbage)]).toEqual([[400], { error: "Malformed HTTP request" }])
    const badHeaderV1 = await answer("GET /api/v1/recordings HTTP/1.1\r\nb@d h: 1\r\n\r\n")
    expect(lastBody(badHeaderV1)).toEqual({ error: { message: "Malformed HTTP request", code: 400 } })
    expect(garbage).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/)
    expect(garbage).toMatch(/\r\nconnection: close\r\n/)

    // What comes before it is answered, what comes after it is not read.
    const pipelined = await answer(`${head()}NONSENSE\r\n\r\n${head()}`)
    expect(statuses(pipelined)).toEqual([200])

    const large = await answer(head(`x-large: ${"a".repeat(9_000)}`))
    expect([statuses(large), lastBody(large)]).toEqual([[431], { error: "The request's headers are too large" }])

    const many = Array.from({ length: 30 }, (_, n) => `x-${n}: a`)
    const tooMany = await answer(head(...many, "connection: close"))
    expect([statuses(tooMany), lastBody(tooMany)]).toEqual([[431], { error: "The request has more than 20 headers" }])
    const tooManyV1 = await answer(head(...many, "connection: close").replace("/healthz", "/api/v1/recordings"))
    expect(lastBody(tooManyV1)).toEqual({ error: { message: "The request has more than 20 headers", code: 431 } })

    expect(statuses(await answer(head("connection: close")))).toEqual([200])
  })

  test("begins a request when the one before it on its connection is answered", async () => {
    const { view } = await listening(startedWith())
    const { socket } = await dial(view.base_url)
    const authorized = `host: a\r\nauthorization: Bearer ${adminToken}\r\n`
    const body = JSON.stringify({ recording: { title: "Two" } })
    const update = `PATCH /api/v2/recordings/${recording} HTTP/1.1\r\n${authorized}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    const begun = new Promise((resolve) => socket.once("data", resolve))
    socket.write(`GET /api/settings/events HTTP/1.1\r\n${authorized}\r\n${update}`)
    // The stream of events never ends.
    expect(String(await begun)).toContain("HTTP/1.1 200")
    for (let n = 0; n < 5; n++) {
      const read = await fetch(`${view.base_url}/api/v2/recordings/${recording}`, { headers: asAdmin })
      expect(await read.json()).toMatchObject({ title: "One" })
    }
  })

  test("limits each token to the configured rate (R18)", async () => {
    const { view } = await listening([...startedWith(), "--rate-limit", "2/PT1H"])
    const ask = (path: string) => fetch(`${view.base_url}${path}`, { headers: asAdmin })
    expect([(await ask("/api/v2/recordings")).status, (await ask("/api/v1/recordings")).status]).toEqual([200, 200])
    const refused = await ask("/api/v2/recordings")
    expect([refused.status, await refused.json()]).toEqual([429, { error: expect.any(String) }])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await ask("/healthz")).status).toBe(200)
  })
})

describe("the progress of a body", () => {
  test("is too slow below 1 KiB/s for 30 s, and no sooner", () => {
    const progress = new BodyProgress(1_000, 0)
    expect(progress.isSlow(1_000, slowBodyMs - 1)).toBe(false)
    expect(progress.isSlow(1_000 + slowBodyBytes, slowBodyMs)).toBe(false)
    expect(progress.isSlow(1_000 + slowBodyBytes, 2 * slowBodyMs - 1)).toBe(false)
    expect(progress.isSlow(1_000 + 2 * slowBodyBytes - 1, 2 * slowBodyMs)).toBe(true)
  })
})

describe("a body that comes slowly", () => {
  /** A server that reads bodies, and a client that has begun one of 1 MB. Time passes by vitest's timers alone. */
  const receiving = async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] })
    onTestFinished(() => void vi.useRealTimers())
    const refused: Array<string> = []
    const limits = { body_idle_timeout: 3_600_000, headers_timeout: 1, keep_alive_timeout: 1, max_connections: 10 }
    const server = createServer()
    limitConnections(
      server,
      { ...limits, max_header_size: 8_192 },
      { onRefused: (reason) => void refused.push(reason), onDropped: () => undefined }
    )
    let came = 0
    server.on("request", (request, response) => {
      request.on("data", (piece: Uint8Array) => {
        came += piece.length
      })
      request.on("end", () => response.end("read"))
      request.on("error", () => undefined)
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    onTestFinished(() => void server.close())
    const { closed, socket } = await dial(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    socket.write("POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 1000000\r\n\r\n")
    const send = async (bytes: number) => {
      const expected = came + bytes
      socket.write(Buffer.alloc(bytes))
      while (came < expected) await setImmediate()
    }
    await send(1)
    return { closed, refused, send, left: () => 1_000_000 - came }
  }

  test("is ended with 408 after 30 s in which it was slower than 1 KiB/s", async () => {
    const { closed, refused, send } = await receiving()
    for (let second = 0; second < 30; second++) {
      expect(refused).toEqual([])
      await send(1_000)
      vi.advanceTimersByTime(1_000)
    }
    const text = await closed
    expect([statuses(text), refused]).toEqual([[408], ["too_slow"]])
  })

  test("goes on while it is not slower, however long it takes", async () => {
    const { closed, left, refused, send } = await receiving()
    for (let second = 0; second < 300; second++) {
      await send(1_100)
      vi.advanceTimersByTime(1_000)
    }
    await send(left())
    expect([statuses(await closed), refused]).toEqual([[200], []])
  })
})
