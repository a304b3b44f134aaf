const minuteMs = 60_000
const hourMs = 60 * minuteMs

/**
 * Delay before each retry of folder automations and audit destinations, in milliseconds, as in `domain`. A test compares them. An
 * import would add all of Effect's Schema to the page.
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

/** A planned attempt, and its time after the first one if each attempt before it fails at once. */
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
