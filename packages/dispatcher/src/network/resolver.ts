import { Resolver } from "node:dns/promises"
import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import { Clock } from "effect"
import { isLocalhost, loopback } from "./NetworkPolicy.ts"

export interface Resolved {
  readonly addresses: ReadonlyArray<string>
  /** Time for which the name server permits caching of the result, in seconds. */
  readonly ttlSeconds: number
}

/** Resolves a name to all its addresses. Fails with Node's DNS error codes. */
export type Resolve = (host: string) => Promise<Resolved>

export interface ResolverOptions {
  /** Name servers, `address` or `address:port`. Default: the machine's. */
  readonly servers?: ReadonlyArray<string>
  /** Names that are resolved without a name server, as in `/etc/hosts`. */
  readonly hosts?: ReadonlyMap<string, ReadonlyArray<string>>
}

/** Timeout of a name server, in milliseconds. It is shorter than the deadline of an attempt. */
const timeoutMs = 3_000
const tries = 2

/**
 * Creates a resolver that queries name servers directly (c-ares). `getaddrinfo` would use one of Node's four worker threads, which also
 * read files, so that a few names whose servers do not respond would block all of them.
 */
export const dnsResolver = ({ hosts = new Map(), servers }: ResolverOptions): Resolve => {
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  if (servers !== undefined) resolver.setServers(servers)
  return async (host) => {
    if (isLocalhost(host)) return { addresses: loopback, ttlSeconds: 0 }
    const known = hosts.get(host.replace(/\.$/, ""))
    if (known !== undefined) return { addresses: known, ttlSeconds: 0 }
    const [v4, v6] = await Promise.allSettled([
      resolver.resolve4(host, { ttl: true }),
      resolver.resolve6(host, { ttl: true })
    ])
    const records = [...(v4.status === "fulfilled" ? v4.value : []), ...(v6.status === "fulfilled" ? v6.value : [])]
    if (records.length === 0) throw faultOf(v4, v6)
    return { addresses: records.map(({ address }) => address), ttlSeconds: Math.min(...records.map(({ ttl }) => ttl)) }
  }
}

/** Returns the more informative error: any error except a missing address family. */
const faultOf = (...results: ReadonlyArray<PromiseSettledResult<unknown>>): unknown => {
  const faults = results.flatMap((result) => (result.status === "rejected" ? [result.reason as { code?: string }] : []))
  return faults.find(({ code }) => code !== "ENODATA") ?? faults[0] ?? { code: "ENODATA" }
}

/** Reads the names of a file in the format of `/etc/hosts`; empty if it cannot be read. */
export const readHostsFile = (path = "/etc/hosts"): ReadonlyMap<string, ReadonlyArray<string>> => {
  const hosts = new Map<string, Array<string>>()
  for (const line of textOf(path).split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names) {
      const key = name.toLowerCase()
      hosts.set(key, [...(hosts.get(key) ?? []), address])
    }
  }
  return hosts
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** Maximum cache time, in seconds, so that a changed name takes effect within half a minute. */
const maxTtlSeconds = 30
const maxNames = 10_000

/**
 * Returns a resolver that caches results for their TTL, and lets concurrent look-ups of a name share one query. The policy still checks the
 * addresses at each connection.
 */
export const cachingResolver = (resolve: Resolve): Resolve => {
  const clock = Clock.Clock.defaultValue()
  const cache = new Map<string, { readonly result: Promise<Resolved>; until: number }>()
  return (host) => {
    const now = clock.currentTimeMillisUnsafe()
    const cached = cache.get(host)
    if (cached !== undefined && now < cached.until) return cached.result
    if (cache.size >= maxNames) cache.clear()
    const lookup = { result: resolve(host), until: Number.POSITIVE_INFINITY }
    cache.set(host, lookup)
    lookup.result.then(
      ({ ttlSeconds }) => {
        lookup.until = clock.currentTimeMillisUnsafe() + 1_000 * Math.min(ttlSeconds, maxTtlSeconds)
      },
      () => {
        if (cache.get(host) === lookup) cache.delete(host)
      }
    )
    return lookup.result
  }
}
