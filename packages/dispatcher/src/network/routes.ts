import { connect as connectTcp, isIP, type Socket } from "node:net"
import { hostOf, type NetworkPolicy } from "./NetworkPolicy.ts"
import type { Resolve } from "./resolver.ts"
import { whenConnected } from "./sockets.ts"
import { Unreached } from "./Unreached.ts"

/** Where a connection is to lead. */
export interface Destination {
  readonly secure: boolean
  /** A name, or an address without brackets. */
  readonly host: string
  readonly port: number
}

/** Makes the connection that a request, or a TLS handshake before it, goes over. Gives up when the signal does. */
export type Route = (to: Destination, signal: AbortSignal) => Promise<Socket>

/** Wherever the URL says, found by the machine's own resolver: for drivers whose own rules say what may be called. */
export const anywhere: Route = ({ host, port }, signal) =>
  whenConnected(connectTcp({ host, port, ...socketOptions }), "connect", signal)

/**
 * To what the policy lets pass. The name is resolved once, all its addresses are judged, and those very addresses are
 * dialled; who answers is held against them before a byte is sent.
 */
export const guarded =
  (policy: NetworkPolicy, resolve: Resolve): Route =>
  async ({ host, port }, signal) => {
    const addresses = isIP(host) === 0 ? await addressesOf(host, resolve, signal) : [host]
    const fault = policy.addresses(host, addresses)
    if (fault !== null) throw new Unreached("blocked", fault)
    const socket = await whenConnected(dial(host, port, addresses), "connect", signal)
    // Undefined: the other side has hung up already, which whoever writes to the socket finds.
    if (socket.remoteAddress !== undefined && !addresses.includes(socket.remoteAddress)) {
      socket.destroy()
      throw new Unreached("blocked", `${host} was answered for by an address that was not asked`)
    }
    return socket
  }

/** The addresses in the spelling that a socket has for them. */
const addressesOf = async (host: string, resolve: Resolve, signal: AbortSignal): Promise<ReadonlyArray<string>> => {
  const { addresses } = await untilGivenUp(
    resolve(host).catch((error: { readonly code?: string }) => {
      throw new Unreached("dns", `the host name was not resolved (${error.code ?? "unknown"})`)
    }),
    signal
  )
  return addresses.map((address) => (isIP(address) === 6 ? hostOf(new URL(`http://[${address}]`).hostname) : address))
}

const untilGivenUp = <A>(promise: Promise<A>, signal: AbortSignal): Promise<A> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason)
    signal.addEventListener("abort", giveUp, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp))
  })

/** Tries the addresses side by side, IPv6 and IPv4 in turn (RFC 8305). Of a literal `net` asks nobody. */
const dial = (host: string, port: number, addresses: ReadonlyArray<string>): Socket =>
  connectTcp({
    host,
    port,
    autoSelectFamily: true,
    lookup: (_host, _options, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: isIP(address) }))
      ),
    ...socketOptions
  })

const socketOptions = {
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
  highWaterMark: 64 * 1024
} as const
