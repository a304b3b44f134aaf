import { createServer as createHttp, type Server } from "node:http"
import { createServer } from "node:https"
import { type AddressInfo, connect, type Socket } from "node:net"
import { cert, key } from "./certificate.ts"

export interface TlsReceiver {
  readonly port: number
  /** How many connections were made, with or without a request. */
  readonly connections: () => number
  readonly requests: () => number
  /** Closes its connections, and accepts others. */
  readonly disconnect: () => void
}

const open: Array<Server> = []

/** To be called after each test. */
export const closeReceivers = async (): Promise<void> => {
  await Promise.all(
    open.splice(0).map((server) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    })
  )
}

/** A receiver that speaks TLS, on an address of loopback and a port of its own or of another's. */
export const tlsReceiver = async (host: string, port = 0, answer: Answer = {}): Promise<TlsReceiver> => {
  let connections = 0
  let requests = 0
  const server = createServer({ cert, key }, (request, response) => {
    requests++
    request.resume()
    response.writeHead(answer.status ?? 200, answer.headers ?? {}).end("seen")
  })
  server.on("connection", () => connections++)
  await listen(server, port, host)
  return {
    port: portOf(server),
    connections: () => connections,
    requests: () => requests,
    disconnect: () => server.closeAllConnections()
  }
}

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface ForwardProxy {
  readonly port: number
  /** The targets of CONNECT, and the requests that came without one. */
  readonly asked: ReadonlyArray<string>
  readonly authorizations: ReadonlyArray<string | undefined>
}

/** A proxy that leads every CONNECT to one port of loopback; it refuses those whose host begins with `refused`. */
export const forwardProxy = async (leadsTo: number): Promise<ForwardProxy> => {
  const asked: Array<string> = []
  const authorizations: Array<string | undefined> = []
  const server = createHttp((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(200).end()
  })
  server.on("connect", (request, socket: Socket) => {
    asked.push(`CONNECT ${request.url}`)
    authorizations.push(request.headers["proxy-authorization"])
    socket.on("error", () => {})
    if (request.url?.startsWith("refused") === true) return socket.end("HTTP/1.1 403 Forbidden\r\n\r\n")
    const onward = connect(leadsTo, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
      onward.pipe(socket)
      socket.pipe(onward)
    })
    onward.on("error", () => socket.destroy())
    socket.on("close", () => onward.destroy())
  })
  await listen(server, 0, "127.0.0.1")
  return { port: portOf(server), asked, authorizations }
}

const listen = async (server: Server, port: number, host: string) => {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, host, resolve)
  })
  open.push(server)
}

const portOf = (server: Server) => (server.address() as AddressInfo).port
