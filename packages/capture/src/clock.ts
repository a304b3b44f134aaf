const page = globalThis.performance
const elapsed = page.now.bind(page)

/**
 * Returns the present time in milliseconds since 1970, by the clock at the load of this page. It does not jump, and stops while the machine
 * sleeps, so only differences of two pages' clocks can be compared.
 */
export const now = (): number => page.timeOrigin + elapsed()

/** Time of a recording at an instant: `elapsed` milliseconds were recorded at `at`. It continues while `recording`. */
export interface Clock {
  readonly phase: "recording" | "paused" | "stopped"
  /** Instant in milliseconds since 1970, by the clock of the page that sends it. */
  readonly at: number
  readonly elapsed: number
  /** Start of the recording, in milliseconds since 1970. */
  readonly startedAt: number
}

/** Returns the time of the recording at an instant, in whole milliseconds; negative before its start. */
export const timeAt = (clock: Clock, at: number): number => Math.round(at - clock.at + clock.elapsed)
