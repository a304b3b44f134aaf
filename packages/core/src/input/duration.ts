import { Schema } from "effect"

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Milliseconds of the units, in the order of the groups in `isoDuration` and `shortDuration`. */
const unitsMs = [7 * DAY_MS, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, 1]

const isoDuration =
  /^P(?:(\d+(?:[.,]\d+)?)W)?(?:(\d+(?:[.,]\d+)?)D)?(?:T(?:(\d+(?:[.,]\d+)?)H)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)S)?)?$/

const shortDuration =
  /^(?:(\d+(?:[.,]\d+)?) *w *)?(?:(\d+(?:[.,]\d+)?) *d *)?(?:(\d+(?:[.,]\d+)?) *h *)?(?:(\d+(?:[.,]\d+)?) *m *)?(?:(\d+(?:[.,]\d+)?) *s *)?(?:(\d+(?:[.,]\d+)?) *ms)?$/

/** More characters than any duration needs. */
const MAX_TEXT_LENGTH = 100

const parseText = (text: string): number | undefined => {
  if (text === "0") return 0
  if (text === "" || text.length > MAX_TEXT_LENGTH) return undefined
  const match = isoDuration.exec(text) ?? shortDuration.exec(text)
  if (match === null || text === "P" || text.endsWith("T")) return undefined
  const amounts = match.slice(1) as ReadonlyArray<string | undefined>
  const given = amounts.filter((one) => one !== undefined)
  // As in ISO 8601, only the smallest unit that is written may have a fraction.
  if (given.slice(0, -1).some((one) => /[.,]/.test(one))) return undefined
  let totalMs = 0
  for (const [index, unitMs] of unitsMs.entries()) {
    totalMs += Number((amounts[index] ?? "0").replace(",", ".")) * unitMs
  }
  return Math.round(totalMs)
}

/**
 * Returns the milliseconds of a duration: ISO 8601 (`PT1M30S`, `P1D`, `PT0.5S`), units with the largest first (`2h`, `1h 30m`, `2 h 36
 * m`, `500ms`; w, d, h, m, s, ms), `0`, or a number of milliseconds; undefined for any other text. Years and months are refused, because
 * they have no fixed length.
 */
export const parseDuration = (duration: string | number): number | undefined => {
  const ms = typeof duration === "number" ? duration : parseText(duration)
  return ms !== undefined && Number.isSafeInteger(ms) && ms >= 0 ? ms : undefined
}

/** The milliseconds of a duration that `DurationInput` has let through; throws a `RangeError` for any other. */
export const durationMs = (duration: string | number): number => {
  const ms = parseDuration(duration)
  if (ms === undefined) throw new RangeError("not a duration")
  return ms
}

const message = "must be a duration such as 30s, 1h 30m or PT30S, or a whole number of milliseconds"

/** A duration as it goes in (emulator.md, Control plane). It is kept as it was written. */
export const duration = (description: string) =>
  Schema.Union([
    Schema.String.annotate({ message, examples: ["PT30S", "1h 30m"] }),
    Schema.Number.annotate({ message }).check(Schema.isInt({ message }), Schema.isGreaterThanOrEqualTo(0, { message }))
  ])
    .annotate({
      message,
      description: `${description} ISO 8601 (\`PT1M30S\`), units (\`1m 30s\`), or a number of milliseconds.`
    })
    .check(Schema.makeFilter((value) => parseDuration(value) !== undefined || message))

/** Minimum retention time, because removed data cannot be restored. */
const minRetentionMs = DAY_MS

/** Returns the milliseconds of a retention time: a duration of at least a day; undefined for any other text. */
export const parseRetention = (retention: string | number): number | undefined => {
  const ms = parseDuration(retention)
  return ms !== undefined && ms >= minRetentionMs ? ms : undefined
}

const retentionMessage = "must be a duration of at least a day, such as P90D, or null"

/** A retention time as it is written; null for no limit. */
export const retentionTime = (description: string) =>
  Schema.NullOr(Schema.Union([Schema.String, Schema.Finite]))
    .annotate({ message: retentionMessage, description, examples: ["P90D", null] })
    .check(Schema.makeFilter((value) => value === null || parseRetention(value) !== undefined || retentionMessage))
