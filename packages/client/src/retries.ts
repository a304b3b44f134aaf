import type { TapedeckError } from "./errors.ts"
import type { Clock } from "./options.ts"

/** Statuses of a service, or a proxy before it, that may answer otherwise soon. */
export const isRetryableStatus = (status: number): boolean =>
  status === 408 || status === 429 || status === 502 || status === 503 || status === 504

/** A `Retry-After` beyond this is the caller's to wait for. */
const maxRetryAfterMs = 60_000

/** `Retry-After` as seconds or as a date, in milliseconds from now; undefined where there is none. */
const retryAfterMs = (headers: Headers | undefined, now: number): number | undefined => {
  const text = headers?.get("retry-after")
  if (text === null || text === undefined) return undefined
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined
}

/**
 * How long to wait before retry `number` (from 1): what `Retry-After` says, else 500 ms, doubled each time up to 8 s, less
 * up to a quarter by chance. Undefined: the service asks for more than a minute, which is not waited for.
 */
export const retryDelayMs = (
  number: number,
  { headers }: TapedeckError,
  { clock, random }: { readonly clock: Clock; readonly random: () => number }
): number | undefined => {
  const asked = retryAfterMs(headers, clock.now())
  if (asked !== undefined) return asked > maxRetryAfterMs ? undefined : asked
  return Math.min(500 * 2 ** (number - 1), 8000) * (1 - random() / 4)
}

/** A UUID for `Idempotency-Key`; where there is no secure context, one by chance. */
export const newKey = (random: () => number): string =>
  globalThis.crypto?.randomUUID?.() ??
  "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx".replace(/x/g, () => Math.floor(random() * 16).toString(16))
