import { Worker } from "node:worker_threads"
import type { Service } from "./Service.ts"

/** What was seen of a process from outside while it was attacked. */
export interface Seen {
  /** The longest that a health check took, in milliseconds. */
  readonly slowestMs: number
  /** How much the resident memory grew beyond what it was at the start, in MiB. */
  readonly grownMb: number
  /** Health checks that were not answered with 200. */
  readonly failed: ReadonlyArray<string>
}

/** Checks the health and the memory of a process, in a thread of its own: the attacker's work delays no check. */
export class Watch {
  private readonly worker: Worker

  private constructor(worker: Worker) {
    this.worker = worker
  }

  static async of(service: Service): Promise<Watch> {
    const worker = new Worker(new URL("./watcher.ts", import.meta.url), { execArgv: [] })
    const watch = new Watch(worker)
    await watch.follow(service)
    return watch
  }

  /** From now on this process, whose memory is compared with what it is now. */
  async follow(service: Service): Promise<void> {
    const { healthPath, pid, prefix } = service
    const { hostname, port } = new URL(service.baseUrl)
    const isFollowed = new Promise((resolve) => this.worker.once("message", resolve))
    this.worker.postMessage({ follow: { hostname, port, path: prefix + healthPath, pid } })
    await isFollowed
  }

  /** No longer, until it follows another: the process is meant to stop. */
  pause(): void {
    this.worker.postMessage({ pause: true })
  }

  /** The longest that a health check took since the last lap, in milliseconds. */
  async lap(): Promise<number> {
    const lap = new Promise<number>((resolve) => this.worker.once("message", resolve))
    this.worker.postMessage({ lap: true })
    return lap
  }

  /** What was seen since the last time. */
  async take(): Promise<Seen> {
    const taken = new Promise<Seen>((resolve) => this.worker.once("message", resolve))
    this.worker.postMessage({ take: true })
    return taken
  }

  async end(): Promise<void> {
    await this.worker.terminate()
  }
}
