import { isIP } from "node:net"
import { Result, Schema } from "effect"
import ipaddr from "ipaddr.js"

/** Permitted destinations of webhooks. Both functions return null, or a sentence with the reason of a refusal, which names the host but never its address. */
export interface NetworkPolicy {
  /** Checks a URL, before its name is resolved. */
  readonly url: (url: string) => string | null
  /** Checks all addresses of a host, each of which must pass. */
  readonly addresses: (host: string, addresses: ReadonlyArray<string>) => string | null
}

/**
 * Returns the policy of the server: HTTPS only, to the public internet and the operator's allow-list. `allowHttp` permits plain HTTP, too.
 */
export const networkPolicy = (allowed: ReadonlyArray<Cidr>, allowHttp = false): NetworkPolicy => {
  const addresses = (host: string, list: ReadonlyArray<string>): string | null => {
    for (const address of list) {
      const fault = addressFault(address, allowed)
      if (fault === null) continue
      // The address is not named: the person who chose the host name can read the attempt.
      return `webhooks may not go to ${shortened(host)}: it ${isIP(host) === 0 ? "leads to" : "is"} ${fault}`
    }
    return null
  }
  const url = (text: string): string | null => {
    if (!URL.canParse(text)) return "the URL cannot be read"
    // URL has normalized the odd spellings (0x7f.1, 2130706433, full-width digits, %31) of an address.
    const { hostname, password, protocol, username } = new URL(text)
    if (protocol !== "https:" && !(allowHttp && protocol === "http:")) return "webhooks go by HTTPS only"
    if (username !== "" || password !== "") return "a webhook's URL must not contain a user name or password"
    const host = hostOf(hostname)
    if (isIP(host) !== 0) return addresses(host, [host])
    return isLocalhost(host) ? addresses(host, loopback) : null
  }
  return { url, addresses }
}

/** Returns the host of a URL without the brackets of an IPv6 address. */
export const hostOf = (hostname: string): string => hostname.replace(/^\[|\]$/g, "")

export const loopback: ReadonlyArray<string> = ["127.0.0.1", "::1"]

/** Returns whether a name always means this machine (RFC 6761, 6.3). */
export const isLocalhost = (host: string): boolean => /(^|\.)localhost\.?$/i.test(host)

/** Cuts a host to the maximum length of a DNS name. */
const shortened = (host: string): string => host.slice(0, 255)

/** An entry of the operator's allow-list that is neither an address nor a block. */
export class InvalidCidr extends Schema.TaggedError<InvalidCidr>()("InvalidCidr", { entry: Schema.String }) {
  override get message(): string {
    return `"${this.entry}" is neither an IP address nor a CIDR block like 10.20.0.0/16 or fd00:1::/64`
  }
}

/** A block of addresses of one family: an IPv4 block does not include IPv6 spellings of its addresses. */
type Cidr = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Reads the allow-list: addresses and CIDR blocks. */
export const parseCidrs = (entries: ReadonlyArray<string>): Result.Result<ReadonlyArray<Cidr>, InvalidCidr> => {
  const cidrs: Array<Cidr> = []
  for (const entry of entries) {
    const cidr = cidrOf(entry.trim())
    if (cidr === undefined) return Result.fail(new InvalidCidr({ entry }))
    cidrs.push(cidr)
  }
  return Result.succeed(cidrs)
}

const cidrOf = (entry: string): Cidr | undefined => {
  const [address = "", prefix, ...rest] = entry.split("/")
  // ipaddr.js alone would read `10` and `0x7f.1` too.
  const family = address.includes("%") ? 0 : isIP(address)
  const bits = family === 4 ? 32 : 128
  if (family === 0 || rest.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return undefined
  const length = prefix === undefined ? bits : Number(prefix)
  return length > bits ? undefined : [ipaddr.parse(address), length]
}

/**
 * Returns null for an address of the public internet or the allow-list, else the kind of the address. Accepts the spellings of resolvers
 * and sockets.
 */
const addressFault = (address: string, allowed: ReadonlyArray<Cidr>): string | null => {
  // A zone names an interface of this machine.
  if (isIP(address) === 0 || address.includes("%")) return "not an address"
  const parsed = ipaddr.parse(address)
  if (allowed.some(([network, bits]) => inBlock(parsed, network, bits))) return null
  if (parsed instanceof ipaddr.IPv4) {
    return cloudServices.some(([network, bits]) => inBlock(parsed, network, bits))
      ? "a cloud provider's service address"
      : faultOfRange(parsed.range())
  }
  const fault = faultOfRange(parsed.range())
  // ipaddr.js knows the special blocks of the global unicast range (2000::/3); all other ranges are reserved.
  return fault === null && !inBlock(parsed, globalUnicast, 3) ? "a reserved address" : fault
}

const globalUnicast = ipaddr.parse("2000::")

/** Addresses in public ranges that are reachable only from inside a cloud. */
const cloudServices: ReadonlyArray<Cidr> = [
  // Azure's host agent.
  [ipaddr.parse("168.63.129.16"), 32],
  // IBM Cloud's internal services and service endpoints.
  [ipaddr.parse("161.26.0.0"), 16],
  [ipaddr.parse("166.8.0.0"), 14]
]

const inBlock = (address: ipaddr.IPv4 | ipaddr.IPv6, network: ipaddr.IPv4 | ipaddr.IPv6, bits: number): boolean =>
  address.kind() === network.kind() && address.match(network, bits)

/** Names of common ranges; all others are reserved. */
const rangeNames: Readonly<Record<string, string>> = {
  loopback: "a loopback address",
  private: "a private address",
  uniqueLocal: "a private address",
  deprecatedSiteLocal: "a private address",
  carrierGradeNat: "an address of a carrier's network",
  linkLocal: "a link-local address",
  multicast: "a multicast address",
  broadcast: "a broadcast address",
  unspecified: "an unspecified address",
  ipv4Mapped: "an IPv4 address in IPv6 spelling",
  rfc6145: "an IPv4 address in IPv6 spelling",
  rfc6052: "an IPv4 address behind a translator (NAT64)",
  "6to4": "an IPv4 address in a tunnel (6to4)",
  teredo: "an IPv4 address in a tunnel (Teredo)"
}

const faultOfRange = (range: string): string | null =>
  range === "unicast" ? null : (rangeNames[range] ?? "a reserved address")
