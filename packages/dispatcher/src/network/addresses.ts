import { isIP } from "node:net"
import { Result, Schema } from "effect"
import ipaddr from "ipaddr.js"

/** An entry of the operator's allow-list that is no address and no block of addresses. */
export class InvalidCidr extends Schema.TaggedError<InvalidCidr>()("InvalidCidr", { entry: Schema.String }) {
  override get message(): string {
    return `"${this.entry}" is neither an IP address nor a CIDR block like 10.20.0.0/16 or fd00:1::/64`
  }
}

/** A block of addresses, whose family is its own: an IPv4 block takes in no IPv6 spelling of its addresses. */
export type Cidr = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

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
 * What kind of an address that webhooks may not go to this is; null for those of the public internet, and for what the
 * allow-list names. Judges what is dialled, so it takes addresses in the spelling of a resolver or a socket.
 */
export const addressFault = (address: string, allowed: ReadonlyArray<Cidr>): string | null => {
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
  // ipaddr.js knows the special blocks of what is given out (2000::/3); what is not given out at all is left to us.
  return fault === null && !inBlock(parsed, globalUnicast, 3) ? "a reserved address" : fault
}

const globalUnicast = ipaddr.parse("2000::")

/** Public addresses by their numbers that only machines inside a cloud reach. */
const cloudServices: ReadonlyArray<Cidr> = [
  // Azure's host agent.
  [ipaddr.parse("168.63.129.16"), 32],
  // IBM Cloud's internal services and service endpoints.
  [ipaddr.parse("161.26.0.0"), 16],
  [ipaddr.parse("166.8.0.0"), 14]
]

const inBlock = (address: ipaddr.IPv4 | ipaddr.IPv6, network: ipaddr.IPv4 | ipaddr.IPv6, bits: number): boolean =>
  address.kind() === network.kind() && address.match(network, bits)

/** Names for the ranges that people meet; all others are reserved for something that is not a webhook's receiver. */
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
