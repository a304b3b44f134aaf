import { isIP } from "node:net"
import { Effect } from "effect"
import { type Config, ConfigInvalid } from "../../config/Config.ts"

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))

/** Returns whether tokens would cross the network unencrypted. A dispatcher's listener accepts no tokens. */
const isPlainHttp = ({ host, role, tls_cert, trusted_proxies }: Config): boolean =>
  role !== "dispatcher" && tls_cert === undefined && trusted_proxies.length === 0 && !isLoopback(host)

const wayOut =
  "Set TAPEDECK_TLS_CERT and TAPEDECK_TLS_KEY, or put a proxy that speaks TLS before the server and name it in " +
  "TAPEDECK_TRUSTED_PROXIES"

/**
 * General rule 3: all requests use TLS. A server without TLS and without a trusted proxy fails with a `ConfigInvalid`, unless
 * plain HTTP is enabled explicitly (R26).
 */
export const refusePlainHttp = (config: Config): void => {
  if (!isPlainHttp(config) || config.insecure_http) return
  const text =
    `requests and tokens would cross the network unencrypted, as ${config.host} is not a loopback address. ` +
    `${wayOut}; TAPEDECK_INSECURE_HTTP=on serves plain HTTP anyway`
  const dependsOn = ["role", "tls_cert", "trusted_proxies", "insecure_http"] as const
  throw new ConfigInvalid([{ names: ["host"], text, dependsOn }])
}

/** Warns at the start if plain HTTP is enabled. */
export const warnOfPlainHttp = (config: Config) =>
  isPlainHttp(config)
    ? Effect.logWarning("requests and tokens cross the network unencrypted", { host: config.host, remedy: wayOut })
    : Effect.void
