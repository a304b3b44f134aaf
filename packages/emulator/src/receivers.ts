import { BlockList, isIP } from "node:net"
import type { Guard } from "@tapedeck/dispatcher"
import { Effect } from "effect"
import { sinkAt } from "./sinks/Sinks.ts"

const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

/**
 * Which receivers a world may call: its sinks, loopback, and those that `allow_receivers` names. Nothing else is dialled,
 * so that a copied fixture cannot call a customer's endpoint.
 */
export const receiverGuard = (allowReceivers: ReadonlyArray<string>): (typeof Guard)["Service"] => {
  const { list, names } = parseAllowList(allowReceivers)
  const check = (url: string): string | null => {
    if (sinkAt(url) !== null) return null
    if (!URL.canParse(url)) return "the URL cannot be parsed"
    const { hostname, protocol } = new URL(url)
    if (protocol !== "https:" && protocol !== "http:") return `${protocol} URLs are not called`
    const host = hostname.replace(/^\[|\]$/g, "").toLowerCase()
    // URL has already normalized the odd spellings (0x7f.1, 2130706433) of an IPv4 address.
    const family = isIP(host)
    const allowed =
      family === 0
        ? host === "localhost" || host.endsWith(".localhost") || names.has(host)
        : loopback.check(host, family === 4 ? "ipv4" : "ipv6") || list.check(host, family === 4 ? "ipv4" : "ipv6")
    return allowed ? null : "the emulator calls sinks, loopback and the receivers in allow_receivers only"
  }
  return { check: (url) => Effect.sync(() => check(url)) }
}

const parseAllowList = (allowReceivers: ReadonlyArray<string>) => {
  const list = new BlockList()
  const names = new Set<string>()
  for (const entry of allowReceivers) {
    const [address = "", prefix] = entry.split("/")
    const family = isIP(address)
    if (family === 0) names.add(entry.toLowerCase())
    else if (prefix === undefined) list.addAddress(address, family === 4 ? "ipv4" : "ipv6")
    else list.addSubnet(address, Number(prefix), family === 4 ? "ipv4" : "ipv6")
  }
  return { list, names }
}
