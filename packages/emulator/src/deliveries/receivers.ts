import { BlockList, isIP } from "node:net"
import type { Guard } from "@tapedeck/dispatcher"
import { Effect } from "effect"
import { sinkAt } from "../sinks/Sinks.ts"

const familyOf = (address: string): "ipv4" | "ipv6" | null => {
  const family = isIP(address)
  return family === 0 ? null : family === 4 ? "ipv4" : "ipv6"
}

const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

/**
 * Returns the rule by which a world may call a URL by HTTP or HTTPS: on loopback, or listed in `allow_receivers` (host names and
 * CIDRs). Nothing else is called, so that a copied fixture cannot call a customer's endpoint.
 */
export const receiverRules = (allowReceivers: ReadonlyArray<string>): ((url: string) => boolean) => {
  const addresses = new BlockList()
  const names = new Set<string>()
  for (const entry of allowReceivers) {
    const [address = "", prefix] = entry.split("/")
    const family = familyOf(address)
    if (family === null) names.add(entry.toLowerCase())
    else if (prefix === undefined) addresses.addAddress(address, family)
    else addresses.addSubnet(address, Number(prefix), family)
  }
  return (url) => {
    if (!URL.canParse(url)) return false
    // URL has normalized unusual spellings (0x7f.1, 2130706433) of an IPv4 address.
    const host = new URL(url).hostname.replace(/^\[|\]$/g, "").toLowerCase()
    const family = familyOf(host)
    if (family === null) return host === "localhost" || host.endsWith(".localhost") || names.has(host)
    return loopback.check(host, family) || addresses.check(host, family) || names.has(host)
  }
}

/** Allows a world's sinks and its real receivers. */
export const receiverGuard = (allowReceivers: ReadonlyArray<string>): (typeof Guard)["Service"] => {
  const mayCall = receiverRules(allowReceivers)
  const reason = "the emulator calls sinks, loopback and the receivers in allow_receivers only"
  return { check: (url) => Effect.sync(() => (sinkAt(url) !== null || mayCall(url) ? null : reason)) }
}
