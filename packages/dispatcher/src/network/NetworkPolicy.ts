import { isIP } from "node:net"
import { addressFault, type Cidr } from "./addresses.ts"

/** Where webhooks may go. Both answer null, or why not: a sentence that names the host, and of where a name leads only its kind. */
export interface NetworkPolicy {
  /** What a URL alone shows, before anybody is asked what its name means. */
  readonly url: (url: string) => string | null
  /** What is said of a host once its addresses are known: each of them has to pass. */
  readonly addresses: (host: string, addresses: ReadonlyArray<string>) => string | null
}

/** The server's: by HTTPS, to the public internet and to what the operator's allow-list names. */
export const networkPolicy = (allowed: ReadonlyArray<Cidr>): NetworkPolicy => {
  const addresses = (host: string, list: ReadonlyArray<string>): string | null => {
    for (const address of list) {
      const fault = addressFault(address, allowed)
      if (fault === null) continue
      // What a name leads to is the network's own business: an attempt's log is read by whoever chose the name.
      return `webhooks may not go to ${shown(host)}: it ${isIP(host) === 0 ? "leads to" : "is"} ${fault}`
    }
    return null
  }
  const url = (text: string): string | null => {
    if (!URL.canParse(text)) return "the URL cannot be read"
    // URL has normalized the odd spellings (0x7f.1, 2130706433, full-width digits, %31) of an address.
    const { hostname, password, protocol, username } = new URL(text)
    if (protocol !== "https:") return "webhooks go by HTTPS only"
    if (username !== "" || password !== "") return "a webhook's URL must not contain a user name or password"
    const host = hostOf(hostname)
    if (isIP(host) !== 0) return addresses(host, [host])
    return isLocalhost(host) ? addresses(host, loopback) : null
  }
  return { url, addresses }
}

/** A URL's host without the brackets that an IPv6 address has in it. */
export const hostOf = (hostname: string): string => hostname.replace(/^\[|\]$/g, "")

export const loopback: ReadonlyArray<string> = ["127.0.0.1", "::1"]

/** Names that mean this machine, whatever a name server says of them (RFC 6761, 6.3). */
export const isLocalhost = (host: string): boolean => /(^|\.)localhost\.?$/i.test(host)

/** No name that DNS knows is longer. */
const shown = (host: string): string => host.slice(0, 255)
