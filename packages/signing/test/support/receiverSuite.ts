import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { Readable } from "node:stream"
import { type SigningFailure, type SignOptions, sampleRecordingAddedToFolder, signSync } from "@tapedeck/signing"
import { Agent, request } from "undici"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import type { Delivery, WebhookOptions } from "../../src/adapters/receiver.ts"

const added = sampleRecordingAddedToFolder()

export interface OpenReceiver {
  readonly url: string
  close(): Promise<void>
}

/** What a receiver does with a delivery; its framework's adapter turns an answer into that framework's own. */
export type Work = (delivery: Delivery) => { readonly status: number; readonly text: string } | undefined

/** A server on a port of its own. */
export const listen = async (listener: RequestListener): Promise<OpenReceiver> => serve(createServer(listener))

export const serve = async (server: Server): Promise<OpenReceiver> => {
  if (!server.listening) await once(server.listen(0, "127.0.0.1"), "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    }
  }
}

export const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
export const timestamp = 1_767_225_600
const maxBodyBytes = 100_000

interface Sent {
  readonly method?: "POST" | "PUT" | "PATCH" | "DELETE"
  readonly body?: Uint8Array | string
  readonly headers?: Readonly<Record<string, string>>
  /** Without a Content-Length. */
  readonly chunked?: boolean
}

export const signed = (body: Uint8Array | string, more: Partial<SignOptions> = {}): Record<string, string> =>
  signSync({ scheme: "standard", id: "msg_1", timestamp, body, secret, ...more } as SignOptions)

/**
 * What every adapter promises, over HTTP, in its real framework. `interrupts: false` where the framework gives no word of a
 * connection that was lost; `failure` is how it answers what a handler throws.
 */
export const receiverSuite = (
  name: string,
  open: (options: WebhookOptions, work: Work) => Promise<OpenReceiver>,
  { methods = ["POST", "PUT", "PATCH", "DELETE"] as const satisfies ReadonlyArray<Sent["method"]> } = {}
): void => {
  describe(name, () => {
    let receiver: OpenReceiver
    let agent: Agent
    let deliveries: Array<Delivery> = []
    let refused: Array<SigningFailure> = []
    let work: Work = () => undefined

    beforeAll(async () => {
      agent = new Agent()
      receiver = await open(
        {
          secret,
          now: async () => timestamp * 1000,
          maxBodyBytes,
          onRefused: (error) => {
            refused.push(error)
          }
        },
        (delivery) => {
          deliveries.push(delivery)
          return work(delivery)
        }
      )
    })
    afterEach(() => {
      deliveries = []
      refused = []
      work = () => undefined
    })
    afterAll(async () => {
      await agent.destroy()
      await receiver.close()
    })

    const send = async ({ method = "POST", body = "{}", headers = signed(body), chunked = false }: Sent) => {
      const response = await request(receiver.url, {
        dispatcher: agent,
        method,
        headers: { "content-type": "application/json", ...headers },
        body: chunked ? Readable.from([Buffer.from(body as string)]) : Buffer.from(body as string)
      })
      return { status: response.statusCode, headers: response.headers, text: await response.body.text() }
    }

    test("a verified delivery is handed over as the bytes that were sent, and answered with 204", async () => {
      const body = JSON.stringify(added, null, 2)
      expect(await send({ body })).toMatchObject({ status: 204, text: "" })
      expect(deliveries).toMatchObject([{ scheme: "standard", secretIndex: 0, id: "msg_1", timestamp }])
      expect(Buffer.from(deliveries[0]?.body ?? []).toString()).toBe(body)
      expect(deliveries[0]?.event()).toEqual(added)
      expect(deliveries[0]?.json()).toEqual(added)
    })

    test("so is one for folders, and one for audit destinations", async () => {
      expect(await send({ headers: signSync({ scheme: "folder", body: "{}", secret }) })).toMatchObject({ status: 204 })
      expect(await send({ headers: signSync({ scheme: "audit", body: "{}", secret }) })).toMatchObject({ status: 204 })
      expect(deliveries.map(({ scheme }) => scheme)).toEqual(["folder", "audit"])
    })

    test("bytes that are no UTF-8, no body, and any content type are all the same to it", async () => {
      const noUtf8 = Uint8Array.of(0xff, 0x00, 0xfe, 0x80)
      expect(await send({ body: noUtf8 })).toMatchObject({ status: 204 })
      expect([...(deliveries[0]?.body ?? [])]).toEqual([...noUtf8])
      for (const type of ["text/plain", "application/xml; charset=iso-8859-1", "application/x-www-form-urlencoded"]) {
        expect(await send({ body: "a=ü&b", headers: { ...signed("a=ü&b"), "content-type": type } })).toMatchObject({
          status: 204
        })
      }
      expect(await send({ body: "" })).toMatchObject({ status: 204 })
      expect(deliveries.at(-1)?.body.length).toBe(0)
    })

    test.each(methods)("it takes %s, with a body", async (method) => {
      expect(await send({ method, body: `{"a":1}` })).toMatchObject({ status: 204 })
      expect(deliveries[0]?.json()).toEqual({ a: 1 })
    })

    test("a body in chunks, of just the most bytes that are allowed", async () => {
      const body = "x".repeat(maxBodyBytes)
      expect(await send({ body, chunked: true })).toMatchObject({ status: 204 })
      expect(await send({ body })).toMatchObject({ status: 204 })
      expect(deliveries.map((delivery) => delivery.body.length)).toEqual([maxBodyBytes, maxBodyBytes])
    })

    test("what the handler answers is sent", async () => {
      work = () => ({ status: 202, text: "queued" })
      expect(await send({})).toMatchObject({ status: 202, text: "queued" })
    })

    test("a refused one is answered with 401, and why, in one line of JSON for the sender's log", async () => {
      const cases: ReadonlyArray<readonly [Sent, string, string]> = [
        [{ headers: signed("[]") }, "signature_mismatch", "Compare the secret with the sender's settings"],
        [{ headers: {} }, "header_missing", "webhook-signature"],
        [{ headers: signed("{}", { timestamp: timestamp - 712 }) }, "timestamp_too_old", "too old by 412 s"],
        [{ headers: signed("{}", { timestamp: timestamp + 712 }) }, "timestamp_too_new", "too new by 412 s"],
        [{ headers: { ...signed("{}"), "webhook-signature": "v1,?" } }, "header_malformed", "44 characters of base64"]
      ]
      for (const [sent, code, words] of cases) {
        const { status, headers, text } = await send(sent)
        expect({ status, type: headers["content-type"], asks: headers["www-authenticate"] }).toEqual({
          status: 401,
          type: "application/json; charset=utf-8",
          asks: "Webhook-Signature"
        })
        expect(JSON.parse(text)).toEqual({ code, error: expect.stringContaining(words) })
        expect(text).not.toContain(secret)
      }
      expect(deliveries).toEqual([])
      expect(refused.map((error) => error.code)).toEqual(cases.map(([, code]) => code))
    })

    const tooLarge = { status: 413, text: expect.stringContaining(`"code":"body_too_large"`) }

    test("one that is too large is answered with 413, with or without its length, before any signature is computed", async () => {
      for (const chunked of [false, true]) {
        for (const size of [maxBodyBytes + 1, 5_000_000]) {
          const body = "x".repeat(size)
          expect(await send({ body, chunked })).toMatchObject(tooLarge)
        }
      }
      expect(deliveries).toEqual([])
      expect(refused.map(({ code, data }) => [code, data])).toEqual(
        Array(4).fill(["body_too_large", { limitBytes: maxBodyBytes }])
      )
      expect(await send({})).toMatchObject({ status: 204 })
    })

    test("and a sender that reads only when it has written all of it sees the 413 too", async () => {
      const { hostname, port, pathname } = new URL(receiver.url)
      const socket = connect(Number(port), hostname)
      const body = Buffer.alloc(3_000_000)
      socket.pause()
      socket.write(`POST ${pathname} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`)
      await new Promise<void>((written) => socket.write(body, () => written()))
      const [first] = (await Promise.all([once(socket, "data"), socket.resume()]))[0] as [Buffer]
      expect(first.toString()).toMatch(/^HTTP\/1\.1 413 /)
      socket.destroy()
    })

    test("a body that is no event is answered with 400, unless the handler handles it", async () => {
      work = (delivery) => ({ status: 200, text: delivery.event().event })
      expect(await send({ body: "no JSON" })).toMatchObject({
        status: 400,
        text: expect.stringContaining(`"code":"event_not_json"`)
      })
      expect(await send({ body: `{"custom":1}` })).toMatchObject({
        status: 400,
        text: expect.stringContaining(`"code":"event_unexpected"`)
      })
      expect(await send({ body: JSON.stringify(added) })).toMatchObject({
        status: 200,
        text: "recording.added_to_folder"
      })
    })

    test("an exception of the handler goes to the framework, and the adapter reveals nothing of it", async () => {
      work = () => {
        throw new TypeError("broken handler")
      }
      const { status, text } = await send({})
      expect(status).toBe(500)
      expect(text).not.toContain(`"code":"`)
      expect(refused).toEqual([])
    })

    test("a connection that is lost in the middle of a body reaches no handler, and the next one is served", async () => {
      const { hostname, port, pathname } = new URL(receiver.url)
      const headers = Object.entries(signed("{}")).map(([key, value]) => `${key}: ${value}\r\n`)
      const socket = connect(Number(port), hostname)
      socket.write(`POST ${pathname} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n${headers.join("")}\r\n{}`)
      socket.end()
      socket.resume()
      await once(socket, "close")
      expect(await send({})).toMatchObject({ status: 204 })
      expect(deliveries.length).toBe(1)
    })
  })
}
