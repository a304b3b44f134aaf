/** Statuses of a service, or a proxy before it, that may answer otherwise soon. */
export const isRetryableStatus = (status: number): boolean =>
  status === 408 || status === 429 || status === 502 || status === 503 || status === 504

/** Whether a request may be sent twice: reads, PUT, and POSTs with an `Idempotency-Key`. */
export const isRepeatable = (method: string, isKeyed: boolean): boolean =>
  method === "GET" || method === "HEAD" || method === "PUT" || isKeyed

/** A `Retry-After` beyond this is the caller's to wait for. */
const maxRetryAfterMs = 60_000

/** `Retry-After` as seconds or as a date, in milliseconds from now; undefined where there is none. */
const retryAfterMs = (text: string | null | undefined, nowMs: number): number | undefined => {
  if (text === null || text === undefined) return undefined
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - nowMs
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined
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
