/** What the specification's tables say, written down once more: nothing here comes from the product's own code. */

const minuteMs = 60_000

/** Folder automation webhook, Retry schedule: the delay before each retry. */
const automationDelaysMs = [1, 5, 30, 2 * 60, 12 * 60].map((minutes) => minutes * minuteMs)

/** Audit-log webhook: retry delays; two hours each from the sixth on, up to ten retries (A2). */
const auditDelaysMs = [1, 5, 15, 30, 60, 120, 120, 120, 120, 120].map((minutes) => minutes * minuteMs)

export const automationTimeoutMs = 30_000
export const automationRetries = automationDelaysMs.length

/** The delay before retry n, which counts from 1. */
export const delayMs = (kind: "automation" | "audit", retry: number): number =>
  (kind === "automation" ? automationDelaysMs : auditDelaysMs)[retry - 1] ?? Number.NaN

/** Of the events that the public API makes: category and severity (A3, A4). */
export const auditEvents = {
  "recording.updated": { category: "data_changes", severity: "low" },
  "recording.downloaded": { category: "data_access", severity: "low" },
  "access.denied": { category: "authorization", severity: "medium" }
} as const

export type AuditEvent = keyof typeof auditEvents

/** ISO 8601 with hours, minutes and seconds, or milliseconds. */
export const durationMs = (duration: unknown): number => {
  if (typeof duration === "number") return duration
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] =
    /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(String(duration)) ?? []
  return Math.round(((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * minuteMs + Number(seconds) * 1_000)
}
