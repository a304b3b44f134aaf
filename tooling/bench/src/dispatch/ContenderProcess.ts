import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { median } from "../measure.ts"
import type { Order, Played, Reply, Submitted } from "./contender.ts"

/** Milliseconds of a core that a server which the contender works on has used so far. */
export type CpuClock = () => number

export interface ContenderOptions {
  /** Below this folder, without its ending. */
  readonly program: string
  readonly parameters: ReadonlyArray<string>
  /** The certificate that receivers are known by. */
  readonly authority: string
  readonly serverCpuMs?: CpuClock
}

/** A contender in a process of its own: plays rounds, and keeps what each of them cost. */
export class ContenderProcess {
  private readonly child: ChildProcess
  readonly program: string
  private readonly serverCpuMs: CpuClock | undefined
  private round = 0
  /** Of a core, a delivery: by round. */
  private readonly cpuUs: Array<number> = []
  private readonly serverCpuUs: Array<number> = []
  private peakMiB = 0
  private readonly ended: Promise<never>

  private constructor(child: ChildProcess, { program, serverCpuMs }: ContenderOptions) {
    this.child = child
    this.ended = once(child, "exit").then(([status, signal]) => {
      throw new Error(`${program} ended (${signal ?? `exit code ${status}`})`)
    })
    // Where nobody asks it anything, it may.
    this.ended.catch(() => {})
    this.program = program
    this.serverCpuMs = serverCpuMs
  }

  static async start(options: ContenderOptions): Promise<ContenderProcess> {
    const child = fork(join(import.meta.dirname, `${options.program}.ts`), [...options.parameters], {
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
    const { cpuMs, ms, peakMiB } = await this.ask<Played>({ do: "play" })
    if (serverBefore !== undefined) this.serverCpuUs.push(((this.serverCpuMs!() - serverBefore) / count) * 1_000)
    await this.ask<null>({ do: "finish" })
    this.cpuUs.push((cpuMs / count) * 1_000)
    this.peakMiB = peakMiB
    return (count / ms) * 1_000
  }

  /** Works off whatever comes, until it is stopped. */
  async work(): Promise<void> {
    await this.ask<null>({ do: "work" })
  }

  /** Puts one delivery into the store: when that was committed, on the machine's monotonic clock. */
  async submit(): Promise<bigint> {
    const { committedAtNs } = await this.ask<Submitted>({ do: "submit", round: this.round++ })
    return BigInt(committedAtNs)
  }

  /** What its rounds cost, those of the warm-up left out. */
  costs(key: string, warmUpRounds: number): Record<string, { readonly value: number; readonly unit: string }> {
    const cpu = (samples: ReadonlyArray<number>) => ({
      value: median(samples.slice(warmUpRounds)),
      unit: "µs of a core a delivery"
    })
    return {
      [`${key}_cpu`]: cpu(this.cpuUs),
      ...(this.serverCpuUs.length > 0 && { [`${key}_server_cpu`]: cpu(this.serverCpuUs) }),
      [`${key}_memory`]: { value: this.peakMiB, unit: "MiB" }
    }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const exited = once(this.child, "exit")
    this.child.disconnect()
    await exited
  }
}
