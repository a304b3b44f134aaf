/** Throughput is measured in windows of this length. */
const windowMs = 25

/** Counts how many attempts were answered in 25 ms: in the last full window, or in the present one if that has more already. */
export const makeThroughput = (nowMs: () => number) => {
  let index = Number.NEGATIVE_INFINITY
  /** By host; `undefined` stands for all. */
  let previous = new Map<string | undefined, number>()
  let current = new Map<string | undefined, number>()

  const advance = () => {
    const now = Math.floor(nowMs() / windowMs)
    if (now === index) return
    previous = now === index + 1 ? current : new Map()
    current = new Map()
    index = now
  }

  return {
    count: (host: string) => {
      advance()
      for (const key of [host, undefined]) current.set(key, (current.get(key) ?? 0) + 1)
    },
    /** At a host, or at all. */
    at: (host?: string): number => {
      advance()
      return Math.max(previous.get(host) ?? 0, current.get(host) ?? 0)
    }
  }
}
