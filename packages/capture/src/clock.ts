/** Now, in milliseconds since 1970. Does not jump while the page is open. */
export const now = (): number => performance.timeOrigin + performance.now()

/** The time of a recording at an instant: `elapsed` ms were recorded at `at`. It runs on while `recording`. */
export interface Clock {
  readonly phase: "recording" | "paused" | "stopped"
  /** Milliseconds since 1970. */
  readonly at: number
  readonly elapsed: number
  /** When the recording began, in milliseconds since 1970. */
  readonly startedAt: number
}

/** The recording's time at an instant, in whole milliseconds; negative before it began. */
export const timeAt = (clock: Clock, at: number): number => Math.round(at - clock.at + clock.elapsed)
