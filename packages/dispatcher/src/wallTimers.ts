import * as timers from "node:timers" // allow-clock: the one place that has them

/** Node's timers at the time of loading: a test's later fake timers do not affect what waits for sockets. */
export const setWallTimeout = timers.setTimeout // allow-clock: the one place that names it
export const clearWallTimeout = timers.clearTimeout
export const setWallImmediate = timers.setImmediate // allow-clock: the one place that names it
export const clearWallImmediate = timers.clearImmediate
