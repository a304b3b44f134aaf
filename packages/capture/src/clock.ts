const page = globalThis.performance
const elapsed = page.now.bind(page)

/**
 * Now, in milliseconds since 1970 by the clock with which this page was loaded. It does not jump, and stands still while the
 * machine sleeps: of two pages' clocks only differences may be compared.
 */
export const now = (): number => page.timeOrigin + elapsed()

/** The time of a recording at an instant: `elapsed` ms were recorded at `at`. It runs on while `recording`. */
export interface Clock {
  readonly phase: "recording" | "paused" | "stopped"
  /** Milliseconds since 1970, by the clock of the page that says it. */
  readonly at: number
  readonly elapsed: number
  /** When the recording began, in milliseconds since 1970. */
  readonly startedAt: number
}

/** The recording's time at an instant, in whole milliseconds; negative before it began. */
export const timeAt = (clock: Clock, at: number): number => Math.round(at - clock.at + clock.elapsed)
