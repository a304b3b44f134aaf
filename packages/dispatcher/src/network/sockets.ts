import type { Socket } from "node:net"

/** The socket once it is ready. Destroyed when the signal gives up first. */
export const whenConnected = <S extends Socket>(
  socket: S,
  ready: "connect" | "secureConnect",
  signal: AbortSignal
): Promise<S> =>
  new Promise((resolve, reject) => {
    const giveUp = () => socket.destroy(signal.reason as Error)
    const settle = () => {
      signal.removeEventListener("abort", giveUp)
      socket.off(ready, connected).off("close", closed)
    }
    const connected = () => {
      settle()
      resolve(socket)
    }
    const failed = (error: Error) => {
      settle()
      reject(error)
    }
    // A socket can end without an error: a receiver that hangs up in the handshake.
    const closed = () => failed(Object.assign(new Error("closed before it was ready"), { code: "ECONNRESET" }))
    // It stays: a socket's later errors are undici's to hear, but for the moment until it does.
    socket.on("error", failed)
    socket.once(ready, connected).once("close", closed)
    if (signal.aborted) giveUp()
    else signal.addEventListener("abort", giveUp, { once: true })
  })
