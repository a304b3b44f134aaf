/** The delays before retry 1, 2, …, in milliseconds. Its length is the number of retries. */
export type RetrySchedule = ReadonlyArray<number>

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Retry schedule of automations: five retries. */
export const folderSchedule: RetrySchedule = [1 * MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 12 * HOUR_MS]

const auditDelays: RetrySchedule = [
  1 * MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  1 * HOUR_MS,
  2 * HOUR_MS,
  // A2: then two hours each, up to the maximum number of retries.
  2 * HOUR_MS,
  2 * HOUR_MS,
  2 * HOUR_MS,
  2 * HOUR_MS
]

export const MAX_AUDIT_RETRIES = auditDelays.length

/** Returns the retry schedule of an audit destination with 0 to 10 retries. Throws a `RangeError` for any other number. */
export const auditSchedule = (maxRetries: number): RetrySchedule => {
  if (!Number.isInteger(maxRetries) || maxRetries < 0 || maxRetries > MAX_AUDIT_RETRIES) {
    throw new RangeError(`maxRetries must be an integer from 0 to ${MAX_AUDIT_RETRIES}, not ${maxRetries}`)
  }
  return auditDelays.slice(0, maxRetries)
}
