import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from "node:net"
import { cert, key } from "./certificate.ts"

/** Receivers on loopback, made of Node alone. */

export interface Received {
  readonly method: string
  readonly url: string
  /** As they came over the wire: name, value, name, value. */
  readonly rawHeaders: ReadonlyArray<string>
  readonly body: Buffer
}

export interface Receiver {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  /** Every connection that was ever made. */
  readonly connections: ReadonlyArray<Socket>
  /** Completes when no connection is left. */
  readonly allHungUp: () => Promise<void>
}

type Answer = (response: ServerResponse, request: Received, socket: Socket) => void

const open: Array<Server> = []

/** Ends what was opened since: to be called after each test. */
export const closeReceivers = async (): Promise<void> => {
  await Promise.all(
    open.splice(0).map(
      (server) =>
        new Promise<void>((resolve) => {
          server.close(() => resolve())
          server.emit("hang up")
        })
    )
  )
}

const listen = async (
  server: Server,
  scheme: string,
  received: ReadonlyArray<Received>,
  host = "127.0.0.1"
): Promise<Receiver> => {
  const connections: Array<Socket> = []
  server.on("connection", (socket) => {
    connections.push(socket)
    socket.on("error", () => {})
    server.once("hang up", () => socket.destroy())
  })
  server.setMaxListeners(0)
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  open.push(server)
  const { port } = server.address() as AddressInfo
  const closed = (socket: Socket) =>
    new Promise<void>((resolve) => (socket.closed ? resolve() : socket.once("close", () => resolve())))
  return {
    url: `${scheme}://${host}:${port}/hook?from=test`,
    received,
    connections,
    allHungUp: async () => {
      await Promise.all(connections.map(closed))
    }
  }
}

const collect = (received: Array<Received>, answer: Answer) => (request: IncomingMessage, response: ServerResponse) => {
  const pieces: Array<Buffer> = []
  request.on("data", (piece: Buffer) => pieces.push(piece))
  request.on("end", () => {
    const { method = "", rawHeaders, socket, url = "" } = request
    const one = { method, url, rawHeaders, body: Buffer.concat(pieces) }
    received.push(one)
    answer(response, one, socket)
  })
}

export const httpReceiver = (answer: Answer): Promise<Receiver> => {
  const received: Array<Received> = []
  return listen(createHttpServer(collect(received, answer)), "http", received)
}

/** Its certificate is self-signed, and is 127.0.0.1's. */
export const httpsReceiver = (answer: Answer, host?: string): Promise<Receiver> => {
  const received: Array<Received> = []
  return listen(createHttpsServer({ cert, key }, collect(received, answer)), "https", received, host)
}

/** Does with each connection what it is told, from the first byte on; `nth` counts from 0. */
export const rawReceiver = (
  behave: (socket: Socket, nth: number) => void,
  scheme: "http" | "https" = "http"
): Promise<Receiver> => {
  let nth = 0
  return listen(
    createNetServer((socket) => {
      behave(socket, nth++)
      // Also who does not listen is to notice that the other side hung up.
      socket.resume()
    }),
    scheme,
    []
  )
}

/** Tells of each whole request of a connection, counted from 0. */
export const onRequest = (socket: Socket, tell: (nth: number) => void): void => {
  let unread = ""
  let nth = 0
  socket.on("data", (bytes) => {
    unread += bytes.toString("latin1")
    // Every request of these tests has a body of one byte.
    const end = unread.indexOf("\r\n\r\n")
    if (end < 0 || unread.length < end + 5) return
    unread = unread.slice(end + 5)
    tell(nth++)
  })
}

/** Answers each whole request with this text, as it is; hangs up then if told to. */
export const writes = (socket: Socket, text: string, { thenEnds = false } = {}): void =>
  onRequest(socket, () => {
    if (thenEnds) socket.end(text)
    else socket.write(text)
  })

/** A URL of loopback at which no process listens. */
export const unusedUrl = async (): Promise<string> => {
  const gone = await httpReceiver(() => {})
  await closeReceivers()
  return gone.url
}
