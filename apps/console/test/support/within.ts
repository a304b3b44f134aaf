/** Maximum wait for an answer of the browser or the emulator, in milliseconds. A test may take longer: its limit names no wait. */
export const waitMs = 60_000

/** Waits for a promise that has no limit of its own. Fails after `waitMs` with an error that says what was awaited. */
export const within = async <A>(awaited: string, promise: Promise<A>): Promise<A> => {
  const limit = Promise.withResolvers<never>()
  const timer = setTimeout(() => limit.reject(new Error(`Waited ${waitMs / 1_000} s for ${awaited}`)), waitMs)
  try {
    return await Promise.race([promise, limit.promise])
  } finally {
    clearTimeout(timer)
  }
}
