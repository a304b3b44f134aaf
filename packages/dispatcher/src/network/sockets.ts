import { isIP, type Socket } from "node:net"
import { connect, createSecureContext, type SecureContext } from "node:tls"

/** The destination of a connection. */
export interface Destination {
  readonly secure: boolean
  /** Host name, or address without brackets. */
  readonly host: string
  readonly port: number
}

/** Resolves with the socket when it is ready. Until then, the signal destroys it. */
export const whenConnected = <S extends Socket>(
  socket: S,
  ready: "connect" | "secureConnect",
  signal: AbortSignal
): Promise<S> =>
  new Promise((resolve, reject) => {
    const abort = () => socket.destroy(signal.reason as Error)
    const settle = () => {
      signal.removeEventListener("abort", abort)
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
    // A socket can close without an error, if the receiver closes it in the handshake.
    const closed = () => failed(Object.assign(new Error("closed before it was ready"), { code: "ECONNRESET" }))
    // This listener stays: undici handles later errors, but only when it has the socket.
    socket.on("error", failed)
    socket.once(ready, connected).once("close", closed)
    if (signal.aborted) abort()
    else signal.addEventListener("abort", abort, { once: true })
  })

/** Maximum number of receivers whose TLS session is cached, at about 2 kB each. */
const maxSessions = 1_000

/** Starts TLS over a connection. Certificates are checked for the name, or the address, in the URL. */
export type Handshake = (socket: Socket, to: Destination, signal: AbortSignal) => Promise<Socket>

/**
 * Creates handshakes that share a secure context, so that the authorities are read once, and the last sessions of the receivers, because a
 * resumed handshake costs half of a full one.
 */
export const makeHandshake = (): Handshake => {
  let secureContext: SecureContext | undefined
  const sessions = new Map<string, Buffer>()
  const cache = (key: string, session: Buffer) => {
    sessions.delete(key)
    const [oldest] = sessions.size < maxSessions ? [] : sessions.keys()
    if (oldest !== undefined) sessions.delete(oldest)
    sessions.set(key, session)
  }
  return async (socket, to, signal) => {
    secureContext ??= createSecureContext()
    const key = `${to.host}:${to.port}`
    const session = sessions.get(key)
    const secured = connect({
      socket,
      host: to.host,
      // An address is no server name (RFC 6066); a name's last dot is not part of it.
      servername: isIP(to.host) === 0 ? to.host.replace(/\.$/, "") : "",
      ALPNProtocols: ["http/1.1"],
      secureContext,
      ...(session === undefined ? {} : { session })
    })
    secured.on("session", (fresh: Buffer) => cache(key, fresh))
    try {
      return await whenConnected(secured, "secureConnect", signal)
    } catch (error) {
      sessions.delete(key)
      socket.destroy()
      throw error
    }
  }
}
