import { Resolver } from "node:dns/promises"
import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import { Clock } from "effect"
import { isLocalhost, loopback } from "./NetworkPolicy.ts"

export interface Resolved {
  readonly addresses: ReadonlyArray<string>
  /** How long the name server lets it be believed. */
  readonly ttlSeconds: number
}

/** Asks for all addresses of a name. Fails with Node's DNS error codes. */
export type Resolve = (host: string) => Promise<Resolved>

export interface ResolverOptions {
  /** Name servers, `address` or `address:port`; the machine's where nothing is said. */
  readonly servers?: ReadonlyArray<string>
  /** Names that need no server, like `/etc/hosts`. */
  readonly hosts?: ReadonlyMap<string, ReadonlyArray<string>>
}

/** A name server that keeps silent is given up on before any attempt's time is up. */
const timeoutMs = 3_000
const tries = 2

/**
 * Asks name servers itself (c-ares). `getaddrinfo` would do it on one of the four threads that files are read with too:
 * a few names whose servers never answer, and nothing on this machine would read or resolve any more.
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

/** That a name has no address of one family says less than whatever went wrong with the other. */
const faultOf = (...results: ReadonlyArray<PromiseSettledResult<unknown>>): unknown => {
  const faults = results.flatMap((result) => (result.status === "rejected" ? [result.reason as { code?: string }] : []))
  return faults.find(({ code }) => code !== "ENODATA") ?? faults[0] ?? { code: "ENODATA" }
}

/** The names of a file in the format of `/etc/hosts`; none where it cannot be read. */
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

/** However long a name server allows: a name that moves is followed within half a minute. */
const longestSeconds = 30
const mostNames = 10_000

/**
 * Keeps answers for as long as they may be believed, and lets those who ask at the same time share one question. Nothing
 * is judged here: what is kept is checked again whenever somebody dials it.
 */
export const keepingAnswers = (resolve: Resolve): Resolve => {
  const clock = Clock.Clock.defaultValue()
  const kept = new Map<string, { readonly answer: Promise<Resolved>; until: number }>()
  return (host) => {
    const now = clock.currentTimeMillisUnsafe()
    const found = kept.get(host)
    if (found !== undefined && now < found.until) return found.answer
    if (kept.size >= mostNames) kept.clear()
    const asked = { answer: resolve(host), until: Number.POSITIVE_INFINITY }
    kept.set(host, asked)
    asked.answer.then(
      ({ ttlSeconds }) => {
        asked.until = clock.currentTimeMillisUnsafe() + 1_000 * Math.min(ttlSeconds, longestSeconds)
      },
      () => {
        if (kept.get(host) === asked) kept.delete(host)
      }
    )
    return asked.answer
  }
}
