import { connect as connectTcp, isIP, type Socket } from "node:net"
import { connectAttemptMs } from "@tapedeck/domain/internal/time"
import { hostOf, type NetworkPolicy } from "./NetworkPolicy.ts"
import type { Resolve } from "./resolver.ts"
import { type Destination, whenConnected } from "./sockets.ts"
import { Unreached } from "./stages.ts"

/** Connects to a destination, without TLS. The signal aborts the connection attempt. */
export type Route = (to: Destination, signal: AbortSignal) => Promise<Socket>

/** Connects without a policy, with the resolver of the machine, for drivers with their own rules. */
export const anywhere: Route = ({ host, port }, signal) =>
  whenConnected(connectTcp({ host, port, ...socketOptions }), "connect", signal)

/**
 * Connects to destinations that the policy permits. The name is resolved once, the policy checks all its addresses, and only these are
 * dialled; the remote address is compared with them before a byte is sent.
 */
export const guarded =
  (policy: NetworkPolicy, resolve: Resolve): Route =>
  async ({ host, port }, signal) => {
    const addresses = isIP(host) === 0 ? await addressesOf(host, resolve, signal) : [host]
    const fault = policy.addresses(host, addresses)
    if (fault !== null) throw new Unreached("blocked", fault)
    const socket = await whenConnected(dial(host, port, addresses), "connect", signal)
    // Undefined if the other side has closed the connection already: the first write fails then.
    if (socket.remoteAddress !== undefined && !addresses.includes(socket.remoteAddress)) {
      socket.destroy()
      throw new Unreached("blocked", `${host} was reached at an address that was not dialled`)
    }
    return socket
  }

/** Returns the addresses of a host in the spelling of sockets. */
const addressesOf = async (host: string, resolve: Resolve, signal: AbortSignal): Promise<ReadonlyArray<string>> => {
  const { addresses } = await untilAborted(
    resolve(host).catch((error: { readonly code?: string }) => {
      throw new Unreached("dns", `the host name was not resolved (${error.code ?? "unknown"})`)
    }),
    signal
  )
  return addresses.map((address) => (isIP(address) === 6 ? hostOf(new URL(`http://[${address}]`).hostname) : address))
}

const untilAborted = <A>(promise: Promise<A>, signal: AbortSignal): Promise<A> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener("abort", abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })

/** Connects to one of the addresses, IPv6 and IPv4 alternately (RFC 8305). `net` does not look up literal addresses. */
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
  autoSelectFamilyAttemptTimeout: connectAttemptMs,
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
  highWaterMark: 64 * 1024
} as const
