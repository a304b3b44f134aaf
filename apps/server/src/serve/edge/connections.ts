import type { Server } from "node:http"
import { BlockList, isIPv4, isIPv6, type Socket } from "node:net"
import { addressKey } from "@tapedeck/core"
import type { Config } from "../../config/Config.ts"

type Limits = Pick<Config, "max_connections_per_address" | "trusted_proxies" | "write_idle_timeout">

/** Maximum interval between two checks of the bytes that connections have written, in milliseconds. */
const maxLookMs = 1_000

/** A connection's state in libuv: all bytes given to write, and how many of them the kernel has not accepted yet. */
interface Handle {
  readonly bytesWritten: number
  readonly writeQueueSize: number
}

/** The connection below TLS, if there is TLS: only it knows which bytes the kernel has accepted. */
const handleOf = (socket: Socket): Handle | null => (socket as unknown as { readonly _handle: Handle | null })._handle

interface ConnectionEvents {
  /** An address exceeded its number of connections. */
  readonly onTooMany: () => void
  /** A connection wrote nothing for the maximum time. */
  readonly onStalled: () => void
}

/**
 * Limits the number of connections of an address, except trusted proxies, and the time in which a connection writes none of
 * its pending bytes. Without that limit, a client that does not read would keep the response in memory for ever.
 */
export const limitEachConnection = (
  server: Server,
  { max_connections_per_address, trusted_proxies, write_idle_timeout }: Limits,
  { onStalled, onTooMany }: ConnectionEvents
): void => {
  const isTrusted = trustedBy(trusted_proxies)
  const open = new Map<Socket, WriteProgress>()
  const byAddress = new Map<string, number>()

  const count = (socket: Socket): boolean => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined || isTrusted(remoteAddress)) return true
    const key = addressKey(remoteAddress)
    const present = byAddress.get(key) ?? 0
    if (present >= max_connections_per_address) return false
    byAddress.set(key, present + 1)
    socket.once("close", () => {
      const left = (byAddress.get(key) ?? 1) - 1
      if (left === 0) byAddress.delete(key)
      else byAddress.set(key, left)
    })
    return true
  }

  server.on("connection", (socket: Socket) => {
    if (!count(socket)) {
      onTooMany()
      socket.destroy()
      return
    }
    open.set(socket, new WriteProgress())
    socket.once("close", () => open.delete(socket))
  })

  const look = () => {
    const now = performance.now()
    for (const [socket, progress] of open) {
      if (progress.stalledMs(handleOf(socket), now) < write_idle_timeout) continue
      onStalled()
      open.delete(socket)
      // A reset also discards the bytes that the kernel has accepted and not sent.
      socket.resetAndDestroy()
    }
  }
  const timer = setInterval(look, Math.max(1, Math.min(maxLookMs, Math.floor(write_idle_timeout / 2)))).unref()
  server.once("close", () => clearInterval(timer))
}

/** Time at which a connection last wrote some of its pending bytes. */
export class WriteProgress {
  private sentBytes = -1
  private sinceMs = 0

  stalledMs(handle: Handle | null, now: number): number {
    if (handle === null || handle.writeQueueSize === 0) {
      this.sentBytes = -1
      return 0
    }
    const sentBytes = handle.bytesWritten - handle.writeQueueSize
    if (sentBytes !== this.sentBytes) {
      this.sentBytes = sentBytes
      this.sinceMs = now
    }
    return now - this.sinceMs
  }
}

const trustedBy = (networks: ReadonlyArray<string>): ((address: string) => boolean) => {
  const list = new BlockList()
  for (const network of networks) {
    const [address = "", prefix] = network.split("/")
    const family = isIPv4(address) ? "ipv4" : "ipv6"
    list.addSubnet(address, prefix === undefined ? (family === "ipv4" ? 32 : 128) : Number(prefix), family)
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(\d+\.)/i, "$1")
    return list.check(plain, isIPv6(plain) ? "ipv6" : "ipv4")
  }
}
