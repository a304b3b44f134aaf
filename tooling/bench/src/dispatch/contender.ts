/** The side of a contender's process: does what it is told to, one order at a time, and answers each. */
export interface Contender {
  /** Puts so many deliveries into the store, ready to be begun. Not timed. */
  readonly prepare: (round: number, count: number) => Promise<void>
  /** Shows them to an engine that is at work already: the round begins as it sees them. Not timed: whoever submits waits for it. */
  readonly commit?: () => Promise<void>
  /** Makes them all; ends when the last one is recorded. */
  readonly play: () => Promise<void>
  /** What is left to do after a round. Not timed. */
  readonly finish?: () => Promise<void>
  /** Works off whatever comes, from now on. */
  readonly work?: () => Promise<void>
  /** Puts one delivery into the store for whoever works; ends with its commit. */
  readonly submit?: (round: number) => Promise<void>
}

export type Order =
  | { readonly do: "prepare"; readonly round: number; readonly count: number }
  | { readonly do: "play" | "finish" | "work" }
  | { readonly do: "submit"; readonly round: number }

/** How long a round took, how much of a core's time it cost this process, and the most memory that it ever had. */
export interface Played {
  readonly ms: number
  readonly cpuMs: number
  readonly peakMiB: number
}

/** On the clock that all processes of a machine share; as text, since the number is too large for JSON. */
export interface Submitted {
  readonly committedAtNs: string
}

export type Reply = { readonly done: Played | Submitted | null } | { readonly error: string }

const obey = async (contender: Contender, order: Order): Promise<Played | Submitted | null> => {
  switch (order.do) {
    case "prepare":
      await contender.prepare(order.round, order.count)
      return null
    case "play": {
      await contender.commit?.()
      const start = performance.now()
      const cpu = process.cpuUsage()
      await contender.play()
      const { system, user } = process.cpuUsage(cpu)
      const ms = performance.now() - start
      return { ms, cpuMs: (system + user) / 1_000, peakMiB: process.resourceUsage().maxRSS / 1_024 }
    }
    case "submit":
      if (contender.submit === undefined) throw new Error("submits nothing")
      await contender.submit(order.round)
      return { committedAtNs: String(process.hrtime.bigint()) }
    default:
      await contender[order.do]?.()
      return null
  }
}

export const contend = (contender: Contender): void => {
  process.on("message", async (order: Order) => {
    const reply: Reply = await obey(contender, order).then(
      (done) => ({ done }),
      (error: Error) => ({ error: String(error.stack) })
    )
    process.send!(reply)
  })
  process.on("disconnect", () => process.exit())
  process.send!("ready")
}
