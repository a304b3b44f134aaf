/** Statuses of a service, or a proxy before it, that may answer otherwise soon. */
export const isRetryableStatus = (status: number): boolean =>
  status === 408 || status === 429 || status === 502 || status === 503 || status === 504

/** Whether a request may be sent twice: reads, PUT, and POSTs with an `Idempotency-Key`. */
export const isRepeatable = (method: string, isKeyed: boolean): boolean =>
  method === "GET" || method === "HEAD" || method === "PUT" || isKeyed

/** A `Retry-After` beyond this is the caller's to wait for. */
const maxRetryAfterMs = 60_000

/** The three forms of an HTTP date (RFC 9110 §5.6.7): today's, that of RFC 850, and that of C's `asctime`. */
const dateForms = [
  /^\w{3}, (?<day>\d\d) (?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^\w{3,6}day, (?<day>\d\d)-(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^\w{3} (?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/
]

/** An HTTP date in milliseconds since 1970. `Date.parse` alone reads much else, such as `2.5` as a day. */
const dateOf = (text: string, nowMs: number): number | undefined => {
  const parts = dateForms.map((form) => form.exec(text)?.groups).find(Boolean)
  if (parts === undefined) return undefined
  const { day, month, time, year } = parts as Record<"day" | "month" | "time" | "year", string>
  const thisYear = new Date(nowMs).getUTCFullYear()
  let full = Number(year)
  // Two digits are of this century, or of the one before where that would be more than 50 years ahead.
  if (year.length === 2) full += thisYear - (thisYear % 100)
  if (year.length === 2 && full > thisYear + 50) full -= 100
  const at = Date.parse(`${day} ${month} ${full} ${time} GMT`)
  return new Date(at).getUTCDate() === Number(day) ? at : undefined
}

/**
 * `Retry-After` in milliseconds from now: a number of seconds in digits, or an HTTP date. Undefined where it is anything
 * else, or is not there.
 */
export const retryAfterMs = (text: string | null | undefined, nowMs: number): number | undefined => {
  if (text === null || text === undefined) return undefined
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const at = dateOf(text, nowMs)
  return at === undefined ? undefined : Math.max(at - nowMs, 0)
}

interface Circumstances {
  /** The response's `Retry-After`. */
  readonly retryAfter: string | null | undefined
  readonly nowMs: number
  /** From 0 up to 1. */
  readonly random: number
}

/**
 * How long to wait before retry `number` (from 1): what `Retry-After` says, else 500 ms, doubled each time up to 8 s, less
 * up to a quarter by chance. Undefined: the service asks for more than a minute, which is not waited for.
 */
export const retryDelayMs = (number: number, { nowMs, random, retryAfter }: Circumstances): number | undefined => {
  const asked = retryAfterMs(retryAfter, nowMs)
  if (asked !== undefined) return asked > maxRetryAfterMs ? undefined : asked
  return Math.min(500 * 2 ** (number - 1), 8000) * (1 - random / 4)
}

/** A UUID for `Idempotency-Key`; where there is no secure context, one by chance. */
export const newKey = (random: () => number): string =>
  globalThis.crypto?.randomUUID?.() ??
  "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx".replace(/x/g, () => Math.floor(random() * 16).toString(16))
