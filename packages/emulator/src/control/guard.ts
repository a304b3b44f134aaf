import { isIP } from "node:net"
import type { HttpServerRequest } from "effect/http"
import { type ControlRefusal, refused } from "./requests.ts"

/** The host of a `Host` header or an origin, without the port. */
const hostname = (authority: string): string =>
  authority
    .replace(/:\d*$/, "")
    .replace(/^\[|\]$/g, "")
    .toLowerCase()

const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))

/** The refusal of a `Host` that is neither loopback nor allowed (DNS rebinding); null if it is allowed. */
export const foreignHost = (
  { headers: { host } }: HttpServerRequest.HttpServerRequest,
  allowHosts: ReadonlyArray<string>
): string | null => {
  if (host === undefined) return null
  const name = hostname(host)
  if (isLoopback(name) || allowHosts.some((allowed) => allowed.toLowerCase() === name)) return null
  return `Host ${host} is not this emulator's; name it with --allow-host`
}

/**
 * Prevents web pages from controlling a developer's emulator: refuses a foreign `Origin`, a foreign `Host`, and content types of HTML forms. Null if the request is allowed.
 */
export const refuseForeign = (
  request: HttpServerRequest.HttpServerRequest,
  allowHosts: ReadonlyArray<string>
): ControlRefusal | null => {
  const { "content-type": contentType, host, origin } = request.headers
  const foreign = foreignHost(request, allowHosts)
  if (foreign !== null) return refused(403, foreign)
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    return refused(403, `requests of pages from ${origin} are refused`)
  }
  if (contentType !== undefined && contentType.split(";")[0]!.trim().toLowerCase() !== "application/json") {
    return refused(415, "the control plane accepts application/json only")
  }
  const hasBody =
    request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0
  if (hasBody && contentType === undefined) return refused(415, "the control plane accepts application/json only")
  return null
}
