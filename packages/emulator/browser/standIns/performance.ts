/** The part of `node:perf_hooks` that the emulator's code uses. */
export const performance = globalThis.performance
