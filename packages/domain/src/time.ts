import * as Schema from "effect/Schema"

/** The instants with a year of four digits in ISO 8601, so that all timestamps have the same length. */
const FIRST = -62_167_219_200_000 // 0000-01-01T00:00:00.000Z
const LAST = 253_402_300_799_999 // 9999-12-31T23:59:59.999Z

/** Milliseconds since 1970-01-01T00:00:00Z, in the years 0000 to 9999. */
export const Instant = Schema.Int.check(Schema.isBetween({ minimum: FIRST, maximum: LAST })).pipe(
  Schema.brand("Instant")
)
export type Instant = typeof Instant.Type

/** Returns the nearest valid instant. */
export const nearestInstant = (ms: number): Instant => Math.min(Math.max(ms, FIRST), LAST) as Instant

/** Returns an instant in ISO 8601 in UTC, always with milliseconds and `Z`: `2026-01-01T00:00:00.000Z`. */
export const toIso = (instant: Instant): string => new Date(instant).toISOString()

const isoPattern =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/

const MINUTE_MS = 60_000

/**
 * Returns the instant of a full ISO 8601 timestamp (RFC 3339: date, time with seconds, and `Z` or an offset). Digits beyond
 * milliseconds are dropped. `undefined` for any other text, including impossible dates (`2026-02-30`).
 */
export const parseIso = (text: string): Instant | undefined => {
  const match = isoPattern.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second, fraction = "", sign, offsetHours = "0", offsetMinutes = "0"] = match
  const wallClock = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const local = Date.parse(`${wallClock}.${fraction.padEnd(3, "0").slice(0, 3)}Z`)
  // Date.parse rolls the 30th of February over into March; a date that exists comes back as it was.
  if (Number.isNaN(local) || !new Date(local).toISOString().startsWith(wallClock)) return undefined
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * MINUTE_MS
  const instant = sign === "-" ? local + offset : local - offset
  return instant >= FIRST && instant <= LAST ? (instant as Instant) : undefined
}

/**
 * Maximum time of the handshake with one of several addresses of a host before the next one is tried (RFC 8305), in milliseconds. It is
 * enough for one lost SYN and a slow network. Node's default of 250 ms abandons the IPv4 address of a distant receiver, after which a
 * machine without IPv6 has no address left.
 */
export const connectAttemptMs = 2_500
