import * as timers from "node:timers" // allow-clock: the one place that has them

/** Node's timers at the time of loading, so that later fake timers of a test do not affect sockets. */
export const setWallTimeout = timers.setTimeout // allow-clock: the one place that names it
export const clearWallTimeout = timers.clearTimeout
export const setWallImmediate = timers.setImmediate // allow-clock: the one place that names it
export const clearWallImmediate = timers.clearImmediate
