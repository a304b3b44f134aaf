import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo } from "node:net"
import { setTimeout } from "node:timers/promises"
import { cert, key } from "./certificate.ts"

/** A plain `node:http` receiver on loopback, as an integrator would have: no code of the service in it. */

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** `reset` drops the connection, `silence` never answers. */
export type Behaviour = Reply | "reset" | "silence"

export interface Receiver {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  close(): Promise<void>
}

const open: Array<Receiver> = []

/** Closes what was opened since: to be called after each test. */
export const closeReceivers = async (): Promise<void> => {
  await Promise.all(open.splice(0).map((each) => each.close()))
}

/** Starts a receiver; `behave` is told the request and which one it is (from 0). It takes 15 ms to make up its mind. */
export const receiver = (
  behave: (request: Received, nth: number) => Behaviour | Promise<Behaviour>,
  listen = "127.0.0.1",
  scheme: "http" | "https" = "http"
): Promise<Receiver> => {
  const received: Array<Received> = []
  const answer: RequestListener = (incoming, outgoing) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", async () => {
      const request = {
        method: incoming.method ?? "",
        path: incoming.url ?? "",
        headers: incoming.headers,
        body: Buffer.concat(chunks)
      }
      const nth = received.push(request) - 1
      await setTimeout(15)
      const reply = await behave(request, nth)
      if (reply === "silence") return
      if (reply === "reset") return void incoming.socket.destroy()
      outgoing.writeHead(reply.status, reply.headers)
      outgoing.end(reply.body)
    })
  }
  const server = scheme === "http" ? createServer(answer) : createTlsServer({ cert, key }, answer)
  return new Promise((resolve) => {
    server.listen(0, listen, () => {
      const started = {
        url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/hook?from=test`,
        received,
        close: () =>
          new Promise<void>((closed) => {
            server.close(() => closed())
            server.closeAllConnections()
          })
      }
      open.push(started)
      resolve(started)
    })
  })
}

/** A loopback address at which no process listens. */
export const unusedUrl = async (): Promise<string> => {
  const gone = await receiver(() => "reset")
  await gone.close()
  return gone.url
}
