import { type Costs, countCosts } from "../costs.ts"

/** A contender in its process: executes one order at a time and replies to each. */
export interface Contender {
  /** Inserts deliveries into the store. Not timed. */
  readonly prepare: (round: number, count: number) => Promise<void>
  /** Commits them for an engine that is running: the round begins when it sees them. Not timed. */
  readonly commit?: () => Promise<void>
  /** Makes all deliveries; ends when the last one is recorded. */
  readonly play: () => Promise<void>
  /** Cleans up after a round. Not timed. */
  readonly finish?: () => Promise<void>
  /** Makes deliveries from now on, as they are submitted. */
  readonly work?: () => Promise<void>
  /** Inserts one delivery for a working contender; ends with its commit. */
  readonly submit?: (round: number) => Promise<void>
}

export type Order =
  | { readonly do: "prepare"; readonly round: number; readonly count: number }
  | { readonly do: "play" | "finish" | "work" }
  | { readonly do: "submit"; readonly round: number }

/** Duration of a round, processor time of this process, and its maximum memory. */
export interface Played {
  readonly ms: number
  readonly cpuMs: number
  readonly peakMiB: number
  /** Absent in a checkout from before costs were counted. */
  readonly costs?: Costs
}

/** On the machine's monotonic clock; a text, because the number is too large for JSON. */
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
      const stopCosts = countCosts()
      const start = performance.now()
      const cpu = process.cpuUsage()
      await contender.play()
      const { system, user } = process.cpuUsage(cpu)
      const ms = performance.now() - start
      const peakMiB = process.resourceUsage().maxRSS / 1_024
      return { ms, cpuMs: (system + user) / 1_000, peakMiB, costs: stopCosts() }
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
