import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { resolve } from "node:path"
import { type Costs, costsOf } from "../costs.ts"
import { median } from "../measure.ts"
import type { Order, Played, Reply, Submitted } from "./contender.ts"

/** Processor time of the contender's database server so far, in milliseconds. */
export type CpuClock = () => number

export interface ContenderOptions {
  /** A path without its extension, relative to this folder. */
  readonly program: string
  readonly parameters: ReadonlyArray<string>
  /** The certificate of the receiver. */
  readonly authority: string
  readonly serverCpuMs?: CpuClock
}

/** A contender in its own process. Plays rounds and records their costs. */
export class ContenderProcess {
  private readonly child: ChildProcess
  readonly program: string
  private readonly serverCpuMs: CpuClock | undefined
  private round = 0
  /** Processor time of a delivery, by round. */
  private readonly cpuUs: Array<number> = []
  private readonly serverCpuUs: Array<number> = []
  private readonly rounds: Array<{ readonly costs: Costs; readonly count: number }> = []
  private peakMiB = 0
  private readonly ended: Promise<never>

  private constructor(child: ChildProcess, { program, serverCpuMs }: ContenderOptions) {
    this.child = child
    this.ended = once(child, "exit").then(([status, signal]) => {
      throw new Error(`${program} ended (${signal ?? `exit code ${status}`})`)
    })
    // An idle contender may end.
    this.ended.catch(() => {})
    this.program = program
    this.serverCpuMs = serverCpuMs
  }

  static async start(options: ContenderOptions): Promise<ContenderProcess> {
    const child = fork(resolve(import.meta.dirname, `${options.program}.ts`), [...options.parameters], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: options.authority, NO_LOG_SUCCESS: "1" }
    })
    const started = new ContenderProcess(child, options)
    await Promise.race([once(child, "message"), started.ended])
    return started
  }

  private async ask<Done extends Played | Submitted | null>(order: Order): Promise<Done> {
    this.child.send(order)
    const [reply] = (await Promise.race([once(this.child, "message"), this.ended])) as [Reply]
    if ("error" in reply) throw new Error(`${this.program}: ${reply.error}`)
    return reply.done as Done
  }

  /** One round: deliveries a second. */
  async play(count: number): Promise<number> {
    await this.ask<null>({ do: "prepare", round: this.round++, count })
    const serverBefore = this.serverCpuMs?.()
    const { costs, cpuMs, ms, peakMiB } = await this.ask<Played>({ do: "play" })
    if (serverBefore !== undefined) this.serverCpuUs.push(((this.serverCpuMs!() - serverBefore) / count) * 1_000)
    await this.ask<null>({ do: "finish" })
    this.cpuUs.push((cpuMs / count) * 1_000)
    if (costs !== undefined) this.rounds.push({ costs, count })
    this.peakMiB = peakMiB
    return (count / ms) * 1_000
  }

  /** Makes deliveries as they are submitted, until it is stopped. */
  async work(): Promise<void> {
    await this.ask<null>({ do: "work" })
  }

  /** Inserts one delivery. Returns the time of its commit on the machine's monotonic clock. */
  async submit(): Promise<bigint> {
    const { committedAtNs } = await this.ask<Submitted>({ do: "submit", round: this.round++ })
    return BigInt(committedAtNs)
  }

  /** The costs of its rounds, without the warm-up. */
  costs(key: string, warmUpRounds: number): Record<string, { readonly value: number; readonly unit: string }> {
    const cpu = (samples: ReadonlyArray<number>) => ({
      value: median(samples.slice(warmUpRounds)),
      unit: "µs of a core a delivery"
    })
    return {
      [`${key}_cpu`]: cpu(this.cpuUs),
      ...(this.serverCpuUs.length > 0 && { [`${key}_server_cpu`]: cpu(this.serverCpuUs) }),
      [`${key}_memory`]: { value: this.peakMiB, unit: "MiB" },
      ...this.costsPerDelivery(key, warmUpRounds)
    }
  }

  private costsPerDelivery(key: string, warmUpRounds: number) {
    const rounds = this.rounds.slice(warmUpRounds)
    const sum = (of: (round: { readonly costs: Costs; readonly count: number }) => number) =>
      rounds.reduce((total, round) => total + of(round), 0)
    if (rounds.length === 0) return {}
    const costs = {
      contextSwitches: sum((round) => round.costs.contextSwitches),
      minorFaults: sum((round) => round.costs.minorFaults),
      allocatedBytes: sum((round) => round.costs.allocatedBytes)
    }
    return costsOf(
      key,
      costs,
      sum(({ count }) => count)
    )
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const exited = once(this.child, "exit")
    this.child.disconnect()
    await exited
  }
}
