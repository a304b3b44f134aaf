import { getCACertificates, setDefaultCACertificates, type TLSSocket } from "node:tls"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { cert } from "./support/certificate.ts"
import { type Network, openNetwork } from "./support/network.ts"
import { closeReceivers, httpReceiver, httpsReceiver, onRequest, rawReceiver, writes } from "./support/receivers.ts"

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
const aTurn = () => new Promise((resolve) => setImmediate(resolve))

const success = { outcome: "success", statusCode: 200 }

describe("a connection", () => {
  it("is reused for the next attempt as soon as its answer is reported", async () => {
    const receiver = await httpReceiver((response) => response.end("ok"))
    for (let count = 0; count < 5; count++) {
      expect(await network.send(receiver.url)).toMatchObject(success)
    }
    expect(receiver.connections).toHaveLength(1)
  })

  it("that the receiver closed while idle is replaced, and the attempt succeeds", async () => {
    const receiver = await rawReceiver((socket) => writes(socket, ok))
    expect(await network.send(receiver.url)).toMatchObject(success)
    receiver.connections[0]!.end()
    await receiver.allHungUp()
    expect(await network.send(receiver.url)).toMatchObject(success)
    expect(receiver.connections).toHaveLength(2)
  })

  it("that the receiver closes right after its answer is replaced, however soon the next attempt comes", async () => {
    const receiver = await rawReceiver((socket) => writes(socket, ok, { thenEnds: true }))
    for (let count = 0; count < 10; count++) expect(await network.send(receiver.url)).toMatchObject(success)
  })

  it("that breaks after the request was sent is a reset, even if it was used before, because the receiver may have acted on it", async () => {
    let requests = 0
    const receiver = await rawReceiver((socket) =>
      onRequest(socket, (nth) => {
        requests++
        if (nth === 0) socket.write(ok)
        else socket.resetAndDestroy()
      })
    )
    expect(await network.send(receiver.url)).toMatchObject(success)
    expect(await network.send(receiver.url)).toMatchObject({ outcome: "reset" })
    // Nothing was sent again behind the log's back.
    expect([requests, receiver.connections.length]).toEqual([2, 1])
    expect(await network.send(receiver.url)).toMatchObject(success)
  })

  it("is used by one attempt at a time, so that unanswered attempts do not delay others", async () => {
    const receiver = await httpReceiver((response, { body }) => {
      if (body.toString() === "answer me") response.end("ok")
    })
    const silent = Array.from({ length: 40 }, () => network.send(receiver.url))
    expect(await network.send(receiver.url, { body: Buffer.from("answer me") })).toMatchObject(success)
    await network.close()
    const outcomes = (await Promise.all(silent)).map(({ outcome }) => outcome)
    expect(new Set(outcomes)).toEqual(new Set(["reset"]))
  })
})

describe("idle connections", () => {
  it("have a maximum number: those of the least recently used receivers are closed", async () => {
    const few = await openNetwork(2)
    const receivers: Array<Awaited<ReturnType<typeof httpReceiver>>> = []
    for (let count = 0; count < 5; count++) {
      const receiver = await httpReceiver((response) => response.end("ok"))
      receivers.push(receiver)
      expect(await few.send(receiver.url)).toMatchObject(success)
    }
    const isClosed = (nth: number) => receivers[nth]!.connections[0]!.closed
    // Long before it would be closed for having been idle.
    for (let turns = 0; turns < 2_000 && !(isClosed(0) && isClosed(1)); turns++) await aTurn()
    expect([0, 1, 3, 4].map(isClosed)).toEqual([true, true, false, false])
    // A receiver whose connection was closed gets a new one.
    expect(await few.send(receivers[0]!.url)).toMatchObject(success)
    await few.close()
  })
})

describe("closing the scope", () => {
  it("closes idle connections, those of attempts in flight, and handshakes", async () => {
    const idle = await httpReceiver((response) => response.end("ok"))
    const silent = await httpReceiver(() => {})
    const handshake = await rawReceiver(() => {}, "https")
    await network.send(idle.url)
    const inFlight = [network.send(silent.url), network.send(handshake.url)]
    while (silent.received.length === 0 || handshake.connections.length === 0) {
      await network.send(idle.url)
    }
    await network.close()
    await Promise.all([idle.allHungUp(), silent.allHungUp(), handshake.allHungUp()])
    for (const answer of await Promise.all(inFlight)) expect(answer.outcome).toBe("reset")
  })
})

describe("over TLS", () => {
  it("an untrusted certificate is refused, and nothing is sent", async () => {
    const receiver = await httpsReceiver((response) => response.end("ok"))
    expect(await network.send(receiver.url)).toMatchObject({
      outcome: "tls",
      error: "the TLS handshake failed (DEPTH_ZERO_SELF_SIGNED_CERT)"
    })
    expect(receiver.received).toHaveLength(0)
  })

  it("a receiver that answers in plain HTTP is refused", async () => {
    const receiver = await httpReceiver((response) => response.end("ok"))
    const answer = await network.send(receiver.url.replace("http:", "https:"))
    expect(answer).toMatchObject({ outcome: "tls", error: expect.stringContaining("the TLS handshake failed") })
    expect(receiver.received).toHaveLength(0)
  })

  it("a receiver that disconnects during the handshake is a reset", async () => {
    const receiver = await rawReceiver((socket) => socket.on("data", () => socket.end()), "https")
    expect(await network.send(receiver.url)).toMatchObject({ outcome: "reset" })
  })

  it("a handshake that never ends is closed at the deadline", async () => {
    const receiver = await rawReceiver(() => {}, "https")
    expect(await network.send(receiver.url, {}, shortMs)).toMatchObject({ outcome: "timeout" })
    await receiver.allHungUp()
  })

  it("a receiver that did not answer one handshake is dialled anew in the next attempt", async () => {
    const receiver = await rawReceiver((socket, nth) => {
      if (nth > 0) socket.end("this is no TLS")
    }, "https")
    expect(await network.send(receiver.url, {}, shortMs)).toMatchObject({ outcome: "timeout" })
    expect(await network.send(receiver.url)).toMatchObject({ outcome: "tls" })
  })

  it("attempts that wait in a handshake do not delay others", async () => {
    const receiver = await rawReceiver((socket, nth) => {
      if (nth >= 20) socket.end("this is no TLS")
    }, "https")
    const waiting = Array.from({ length: 20 }, () => network.send(receiver.url))
    const [first] = waiting
    expect(await network.send(receiver.url)).toMatchObject({ outcome: "tls" })
    await network.close()
    expect((await first!).outcome).toBe("reset")
    await Promise.all(waiting)
  })

  describe("to a receiver with a trusted certificate", () => {
    const before = getCACertificates("default")
    beforeAll(() => setDefaultCACertificates([...before, cert]))
    afterAll(() => setDefaultCACertificates(before))

    it("an attempt succeeds, and the connection is reused", async () => {
      const receiver = await httpsReceiver((response) => response.end("ok"))
      for (let count = 0; count < 5; count++) {
        expect(await network.send(receiver.url)).toMatchObject(success)
      }
      expect(receiver.connections).toHaveLength(1)
    })

    it("later handshakes resume the first one's session", async () => {
      const reused: Array<boolean> = []
      const receiver = await httpsReceiver((response, _request, socket) => {
        reused.push((socket as TLSSocket).isSessionReused())
        response.writeHead(200, { connection: "close" }).end("ok")
      })
      for (let count = 0; count < 3; count++) expect(await network.send(receiver.url)).toMatchObject(success)
      expect(reused).toEqual([false, true, true])
      expect(receiver.connections).toHaveLength(3)
    })

    it("a certificate of another host is refused", async () => {
      const receiver = await httpsReceiver((response) => response.end("ok"), "127.0.0.2")
      expect(await network.send(receiver.url)).toMatchObject({
        outcome: "tls",
        error: "the TLS handshake failed (ERR_TLS_CERT_ALTNAME_INVALID)"
      })
      expect(receiver.received).toHaveLength(0)
    })
  })
})
