import { Schema } from "effect"

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** In the order of the groups in `isoDuration`. */
const unitsMs = [7 * DAY_MS, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS]

const isoDuration =
  /^P(?:(\d+(?:[.,]\d+)?)W)?(?:(\d+(?:[.,]\d+)?)D)?(?:T(?:(\d+(?:[.,]\d+)?)H)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)S)?)?$/

const parseText = (text: string): number | undefined => {
  const match = isoDuration.exec(text)
  if (match === null || text === "P" || text.endsWith("T")) return undefined
  const amounts = match.slice(1) as ReadonlyArray<string | undefined>
  const given = amounts.filter((one) => one !== undefined)
  // ISO 8601: only the smallest unit that is written may have a fraction.
  if (given.slice(0, -1).some((one) => /[.,]/.test(one))) return undefined
  let totalMs = 0
  for (const [index, unitMs] of unitsMs.entries()) {
    totalMs += Number((amounts[index] ?? "0").replace(",", ".")) * unitMs
  }
  return Math.round(totalMs)
}

/**
 * The milliseconds of a duration as people write it: ISO 8601 (`PT1M30S`, `P1D`, `PT0.5S`) or a number of milliseconds.
 * `undefined` for what is neither. Years and months have no fixed length, so they are neither.
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

const message = "must be an ISO 8601 duration such as PT30S, or a whole number of milliseconds"

/** A duration as it goes in (emulator.md, Control plane). It is kept as it was written. */
export const duration = (description: string) =>
  Schema.Union([
    Schema.String.annotate({ message, examples: ["PT30S"] }),
    Schema.Number.annotate({ message }).check(Schema.isInt({ message }), Schema.isGreaterThanOrEqualTo(0, { message }))
  ])
    .annotate({ message, description: `${description} ISO 8601 (\`PT1M30S\`), or a number of milliseconds.` })
    .check(Schema.makeFilter((value) => parseDuration(value) !== undefined || message))
