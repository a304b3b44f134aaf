/** Options of TypeScript's native compiler for one checker: each builds its own types, so four take twice the processor time. */
export const oneChecker = ["--singleThreaded"]

/**
 * Environment of TypeScript's native compiler without garbage collection up to the limit: what a program allocates is mostly its
 * types, which stay.
 */
export const withoutCollection = { ...process.env, GOGC: "off", GOMEMLIMIT: "3GiB" }
