const originForm = /^(https?):\/\/(\*\.)?([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[::1\])(:\d{1,5})?$/
const loopback = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/

const maxOriginLength = 512

/** Returns the reason why a text is not a valid origin of a site; undefined if it is valid: HTTPS or loopback, optionally with `*.` before the host. */
export const originProblem = (text: string): string | undefined => {
  const [, scheme, wildcard, host] = (text.length > maxOriginLength ? null : originForm.exec(text)) ?? []
  if (host === undefined) return "must be an origin such as https://shop.example.com or https://*.example.com"
  const isLoopback = loopback.test(host) || host.endsWith(".localhost")
  if (wildcard !== undefined && !host.includes(".") && !isLoopback) return "must not allow a whole top-level domain"
  return scheme === "https" || isLoopback ? undefined : "must use https, unless it is loopback"
}

/** Returns the patterns that allow this origin: itself, and `*.` before each parent domain. None for more than 512 characters. */
export const originPatterns = (origin: string): ReadonlyArray<string> => {
  const [scheme, host] = origin.split("://")
  if (host === undefined || origin.length > maxOriginLength) return []
  const labels = host.split(".")
  return [origin, ...labels.slice(1).map((_, index) => `${scheme}://*.${labels.slice(index + 1).join(".")}`)]
}

/** Returns whether pages of this origin belong to the site. `*.` stands for one or more labels. */
export const allowsOrigin = (origins: ReadonlyArray<string>, origin: string): boolean =>
  originPatterns(origin).some((pattern) => origins.includes(pattern))
