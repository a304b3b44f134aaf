import { type AddressInfo, createServer, type Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import { cert, key } from "./certificate.ts"

/** A receiver of bytes: for what no HTTP server would do. Each connection is `behave`'s once the request has come. */

export interface RawReceiver {
  readonly url: string
  /** How many requests came. */
  readonly count: () => number
}

const open: Array<() => Promise<void>> = []

/** Closes what was opened since: to be called after each test. */
export const closeRawReceivers = async (): Promise<void> => {
  await Promise.all(open.splice(0).map((close) => close()))
}

export const rawReceiver = (
  behave: (socket: Socket) => void,
  scheme: "http" | "https" = "http"
): Promise<RawReceiver> => {
  const sockets = new Set<Socket>()
  let count = 0
  const connected = (socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
    socket.once("data", () => {
      count += 1
      behave(socket)
    })
  }
  const server = scheme === "http" ? createServer(connected) : createTlsServer({ cert, key }, connected)
  open.push(
    () =>
      new Promise((closed) => {
        server.close(() => closed())
        for (const socket of sockets) socket.destroy()
      })
  )
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resolve({ url: `${scheme}://127.0.0.1:${port}/hook`, count: () => count })
    })
  })
}

/** Writes a piece every few milliseconds, until all is written or the other side has hung up. */
export const drip = (socket: Socket, pieces: Iterable<string>, everyMs = 5): void => {
  const iterator = pieces[Symbol.iterator]()
  const timer = setInterval(() => {
    const { done, value } = iterator.next()
    if (done) {
      clearInterval(timer)
      socket.end()
    } else socket.write(value)
  }, everyMs)
  socket.on("close", () => clearInterval(timer))
}
