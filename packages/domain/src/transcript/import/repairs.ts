/** Repairs of times, in every format. */
export const BEFORE_ZERO = "A time before 0 became 0"
export const ENDS_EARLY = "An end before the start became the start"
