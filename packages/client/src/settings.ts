import type { ClientOptions, Clock, Logger, RequestOptions, Settings } from "./options.ts"
import { version } from "./version.ts"

/** The settings of one request, with their defaults. */
export interface Resolved {
  readonly baseUrl: string
  readonly token: string | null
  readonly maxRetries: number
  readonly timeoutMs: number
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch
  readonly logger: Logger | undefined
  readonly onRequest: Settings["onRequest"]
  readonly onResponse: Settings["onResponse"]
  readonly clock: Clock
  readonly random: () => number
  readonly userAgent: string | undefined
}

interface Runtime {
  readonly process?: {
    readonly env?: Readonly<Record<string, string | undefined>>
    readonly versions?: { readonly node?: string }
  }
  readonly document?: unknown
  readonly location?: { readonly origin?: string }
  readonly navigator?: { readonly userAgent?: string }
}

const runtime = globalThis as Runtime

const environment = (name: string): string | undefined => {
  try {
    return runtime.process?.env?.[name] || undefined
  } catch {
    // Deno asks for a permission to read the environment.
    return undefined
  }
}

const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (handle) => clearTimeout(handle as number)
}

const isBrowser = runtime.document !== undefined

/** A page has its browser's; elsewhere the service's log tells the client's version and runtime. */
const userAgent = isBrowser
  ? undefined
  : `tapedeck-client/${version} ${runtime.process?.versions?.node ? `node/${runtime.process.versions.node}` : (runtime.navigator?.userAgent ?? "")}`.trim()

const refuse = (setting: string, expected: string): never => {
  throw new TypeError(`${setting} must be ${expected}`)
}

const checkedUrl = (given: string | undefined): string => {
  if (given === undefined) {
    return refuse("baseUrl", "given, or set as TAPEDECK_BASE_URL")
  }
  // The address is not repeated in the message: it may hold a password.
  const address = withoutTrailingSlashes(given)
  if (!/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/i.test(address) || /\/api\/v\d$/.test(address)) {
    return refuse("baseUrl", "an http:// or https:// address without user, query, fragment and /api/v2")
  }
  return address
}

const checkedToken = (given: string | null | undefined): string | null => {
  if (given === null) return null
  // The message must not repeat it.
  if (given === undefined) return refuse("token", "given, or set as TAPEDECK_TOKEN; null sends none")
  return /^[\x21-\x7e]+$/.test(given) ? given : refuse("token", "one word of visible ASCII")
}

const number = (setting: string, given: number, isAllowed: boolean, expected: string): number =>
  typeof given === "number" && isAllowed ? given : refuse(setting, expected)

const lowerCase = (headers: Settings["headers"]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))

/** The client's options and one request's over them, checked. */
export const resolve = (client: ClientOptions, request: RequestOptions | undefined): Resolved => {
  const maxRetries = request?.maxRetries ?? client.maxRetries ?? 2
  const timeoutMs = request?.timeoutMs ?? client.timeoutMs ?? 60_000
  const token = request?.token === undefined ? client.token : request.token
  return {
    baseUrl: checkedUrl(
      request?.baseUrl ??
        client.baseUrl ??
        environment("TAPEDECK_BASE_URL") ??
        (isBrowser ? runtime.location?.origin : undefined)
    ),
    token: checkedToken(
      token === undefined ? (environment("TAPEDECK_TOKEN") ?? (isBrowser ? null : undefined)) : token
    ),
    maxRetries: number(
      "maxRetries",
      maxRetries,
      Number.isSafeInteger(maxRetries) && maxRetries >= 0,
      "an integer of at least 0"
    ),
    timeoutMs: number(
      "timeoutMs",
      timeoutMs,
      timeoutMs > 0 && timeoutMs < 2 ** 31,
      "a number of milliseconds above 0 and below 2^31"
    ),
    headers: { ...lowerCase(client.headers), ...lowerCase(request?.headers) },
    fetch: request?.fetch ?? client.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    logger: request?.logger ?? client.logger,
    onRequest: request?.onRequest ?? client.onRequest,
    onResponse: request?.onResponse ?? client.onResponse,
    clock: client.clock ?? systemClock,
    random: client.random ?? Math.random,
    userAgent
  }
}

/** A token that a service wrote into its answer is not passed on. */
export const hide = (text: string, token: string | null): string =>
  token === null || token === "" ? text : text.replaceAll(token, "[redacted]")

/** In a loop, as there may be many. */
const withoutTrailingSlashes = (address: string): string => {
  let end = address.length
  while (address[end - 1] === "/") end--
  return address.slice(0, end)
}
