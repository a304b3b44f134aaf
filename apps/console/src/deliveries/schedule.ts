const minuteMs = 60_000
const hourMs = 60 * minuteMs

/**
 * The delay before each retry, as `domain` has it for folder automations and audit destinations (a test compares them; to import
 * them would bring all of Effect's Schema into the page).
 */
export const automationDelaysMs = [minuteMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 12 * hourMs]

export const auditDelaysMs = [
  minuteMs,
  5 * minuteMs,
  15 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  2 * hourMs,
  2 * hourMs,
  2 * hourMs,
  2 * hourMs
]

/** An attempt by the schedule: how long after the first one it comes, if each before it fails at once. */
export interface Planned {
  readonly attempt: number
  readonly afterMs: number
}

/** All attempts of a schedule, the first included. */
export const plan = (delaysMs: ReadonlyArray<number>): ReadonlyArray<Planned> => {
  let afterMs = 0
  return [0, ...delaysMs].map((delay, index) => {
    afterMs += delay
    return { attempt: index + 1, afterMs }
  })
}
