import { atOnce, type Sliced } from "../../slices.ts"
import type { LogEvent, LogHeader, LogHeaders, NetworkEvent } from "../log.ts"
import { redactCards } from "./cards.ts"
import { isSecretHeader } from "./names.ts"
import { redactBearers, redactCredentials, redactEmails, redactJwts, redactPrivateKeys } from "./patterns.ts"
import { REDACTED, type RedactionRule, type Redactions, type SiteRedaction } from "./rules.ts"
import { redactNamedValues } from "./values.ts"

export interface RedactorOptions extends Omit<SiteRedaction, "selectors"> {
  /** E-mail address of the customer, which is not redacted; null if it is unknown. */
  readonly customerEmail: string | null
  /** True to keep the bodies of all addresses, as in logs that a member imports. Default: false. */
  readonly keepsAllBodies?: boolean
}

/** Redacts a log, and counts redactions by rule. Redacting its results again changes nothing. */
export interface Redactor {
  readonly text: (text: string) => string
  readonly header: (header: LogHeader) => LogHeader
  readonly event: (event: LogEvent) => LogEvent
  /** Redacts an event like `event`, in slices of one text. */
  readonly slicedEvent: (event: LogEvent) => Sliced<LogEvent>
  /** Returns the number of redactions by rule: the same object as before if there were none in between. */
  readonly counts: () => Redactions
}

/** Cost of redacting a character, in characters that are read. */
const workPerCharacter = 8

/** Maximum depth of percent-encoded values within percent-encoded values. */
const maxDecodings = 2

/** Minimum length of credentials, known tokens and card numbers. */
const minFormed = 12

export const makeRedactor = (options: RedactorOptions): Redactor => {
  let counts: Redactions = {}
  const add = (rule: RedactionRule, count = 1) => {
    counts = { ...counts, [rule]: (counts[rule] ?? 0) + count }
  }
  const headers = new Set(options.headers.map((name) => name.toLowerCase()))
  const names = new Set(options.query_parameters.map((name) => name.toLowerCase()))
  const isExtraName = (name: string) => names.has(name)
  const kept = options.customerEmail?.toLowerCase() ?? null

  const redact = (text: string, decodings: number): string => {
    if (text.length < 4) return text
    let result = redactPrivateKeys(text, add)
    let known = 0
    if (result.includes("://")) result = redactCredentials(result, add)
    if (result.includes(":") || result.includes("=")) {
      result = redactNamedValues(
        result,
        isExtraName,
        (rule, wasRedacted) => {
          if (wasRedacted) known++
          add(rule)
        },
        (decoded) => (decodings === 0 ? decoded : redact(decoded, decodings - 1))
      )
    }
    const earlier = countOf(text) - known
    if (earlier > 0) add("earlier", earlier)
    if (result.includes("eyJ")) result = redactJwts(result, add)
    if (result.length >= minFormed) result = redactBearers(result, add)
    if (result.includes("@")) result = redactEmails(result, kept, add)
    return result.length >= minFormed ? redactCards(result, add) : result
  }
  const text = (given: string) => redact(given, maxDecodings)

  function* sliced(given: string): Sliced<string> {
    yield workPerCharacter * given.length
    return text(given)
  }

  function* headersOf(given: LogHeaders): Sliced<LogHeaders> {
    const result: Record<string, string> = {}
    for (const [name, value] of Object.entries(given)) {
      const isSecret = isSecretHeader(name.toLowerCase()) || headers.has(name.toLowerCase())
      if (isSecret) add("header")
      result[name] = isSecret ? REDACTED : yield* sliced(value)
    }
    return result
  }

  function* network(event: NetworkEvent): Sliced<NetworkEvent> {
    const { request_body, response_body, ...rest } = event
    const hasBody = request_body !== undefined || response_body !== undefined
    const keeps = hasBody && (options.keepsAllBodies === true || keepsBody(event.url, options.body_urls))
    const bodies: { request_body?: string; response_body?: string } = {}
    for (const [key, body] of [
      ["request_body", request_body],
      ["response_body", response_body]
    ] as const) {
      if (body === undefined) continue
      if (keeps) bodies[key] = yield* sliced(body)
      else add("body")
    }
    return {
      ...rest,
      id: yield* sliced(event.id),
      method: yield* sliced(event.method),
      url: yield* sliced(event.url),
      request_headers: yield* headersOf(event.request_headers),
      response_headers: yield* headersOf(event.response_headers),
      ...bodies,
      ...(event.error !== undefined && { error: yield* sliced(event.error) })
    }
  }

  function* slicedEvent(given: LogEvent): Sliced<LogEvent> {
    switch (given.kind) {
      case "network":
        return yield* network(given)
      case "console":
      case "error": {
        const message = {
          message: yield* sliced(given.message),
          ...(given.stack !== undefined && { stack: yield* sliced(given.stack) })
        }
        return given.kind === "error" && given.source !== undefined
          ? { ...given, ...message, source: yield* sliced(given.source) }
          : { ...given, ...message }
      }
      case "navigation":
        return { ...given, url: yield* sliced(given.url), title: yield* sliced(given.title) }
      case "mark":
        return { ...given, text: yield* sliced(given.text) }
      case "gap":
        return { ...given, reason: yield* sliced(given.reason) }
      default:
        return { ...given, target: yield* sliced(given.target) }
    }
  }

  return {
    text,
    header: (given) => ({
      ...given,
      page: { url: text(given.page.url), title: text(given.page.title) },
      user_agent: text(given.user_agent),
      timezone: text(given.timezone),
      language: text(given.language)
    }),
    event: (given) => atOnce(slicedEvent(given)),
    slicedEvent,
    counts: () => counts
  }
}

const countOf = (text: string): number => {
  let count = 0
  for (let at = text.indexOf(REDACTED); at !== -1; at = text.indexOf(REDACTED, at + REDACTED.length)) count++
  return count
}

/** Returns whether a site keeps the bodies of this address. */
export const keepsBody = (url: string, patterns: ReadonlyArray<string>): boolean => {
  const address = url.split(/[?#]/, 1)[0]!
  let keeps = false
  for (const pattern of patterns) {
    const refuses = pattern.startsWith("!")
    if (!matches(refuses ? pattern.slice(1) : pattern, address)) continue
    if (refuses) return false
    keeps = true
  }
  return keeps
}

/** Returns whether a pattern matches a text. `*` stands for any characters. */
const matches = (pattern: string, text: string): boolean => {
  const [head = "", ...rest] = pattern.split("*")
  const tail = rest.pop()
  if (tail === undefined) return text === head
  if (!text.startsWith(head)) return false
  let at = head.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return text.length - at >= tail.length && text.endsWith(tail)
}
