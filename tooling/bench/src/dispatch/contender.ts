/** The side of a contender's process: plays a round whenever it is told to, and says how long it took. */
export interface Contender {
  /** Puts so many deliveries into the store. Not timed. */
  readonly prepare: (round: number, count: number) => Promise<void>
  /** Makes them all. */
  readonly play: () => Promise<void>
}

export interface Round {
  readonly round: number
  readonly count: number
}

/** How long a round took, and how much of a core's time it cost this process. */
export interface Played {
  readonly ms: number
  readonly cpuMs: number
}

export const contend = ({ play, prepare }: Contender): void => {
  process.on("message", async ({ count, round }: Round) => {
    try {
      await prepare(round, count)
      const start = performance.now()
      const cpu = process.cpuUsage()
      await play()
      const { system, user } = process.cpuUsage(cpu)
      process.send!({ ms: performance.now() - start, cpuMs: (system + user) / 1_000 } satisfies Played)
    } catch (error) {
      process.send!({ error: String((error as Error).stack) })
    }
  })
  process.on("disconnect", () => process.exit())
  process.send!("ready")
}
