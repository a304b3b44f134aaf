import * as timers from "node:timers" // allow-clock: the one place that has them

/** Node's timers as they were when this was loaded: a test's fake timers, which come later, do not stop what waits for sockets. */
export const setWallTimeout = timers.setTimeout // allow-clock: the one place that names it
export const clearWallTimeout = timers.clearTimeout
export const setWallImmediate = timers.setImmediate // allow-clock: the one place that names it
export const clearWallImmediate = timers.clearImmediate
