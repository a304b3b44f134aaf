import { isIP, type Socket } from "node:net"
import { connect, createSecureContext, type SecureContext } from "node:tls"
import type { Destination } from "./routes.ts"
import { whenConnected } from "./sockets.ts"

/** Sessions of so many receivers are kept: about 2 kB each. */
const mostSessions = 1_000

/** Speaks TLS over a connection. Certificates are checked by the name, or the address, in the URL. */
export type Handshake = (socket: Socket, to: Destination, signal: AbortSignal) => Promise<Socket>

/**
 * Handshakes that share one secure context (the authorities are read once) and the receivers' last sessions: a resumed
 * handshake costs half of a full one.
 */
export const makeHandshake = (): Handshake => {
  let secureContext: SecureContext | undefined
  const sessions = new Map<string, Buffer>()
  const remember = (key: string, session: Buffer) => {
    sessions.delete(key)
    const [oldest] = sessions.size < mostSessions ? [] : sessions.keys()
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
    secured.on("session", (fresh: Buffer) => remember(key, fresh))
    try {
      return await whenConnected(secured, "secureConnect", signal)
    } catch (error) {
      sessions.delete(key)
      socket.destroy()
      throw error
    }
  }
}
