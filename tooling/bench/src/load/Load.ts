import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

/** Keeps `connections` busy for `forMs`: each sends the next of `requests` as soon as it has its answer. */
export interface LoadOrder {
  readonly port: number
  /** As they go over the wire. */
  readonly requests: ReadonlyArray<string>
  readonly connections: number
  readonly forMs: number
}

export interface LoadReport {
  readonly answered: number
  readonly bytes: number
  readonly elapsedMs: number
}

/** The process that makes the load. */
export class Load {
  private readonly child: ChildProcess

  constructor() {
    this.child = fork(join(import.meta.dirname, "generator.ts"), { execArgv: [] })
  }

  async run(order: LoadOrder): Promise<LoadReport> {
    this.child.send(order)
    const [answer] = (await once(this.child, "message")) as [LoadReport | { readonly error: string }]
    if ("error" in answer) throw new Error(answer.error)
    return answer
  }

  /** Requests per second. */
  async rate(order: LoadOrder): Promise<number> {
    const { answered, elapsedMs } = await this.run(order)
    return (answered / elapsedMs) * 1000
  }

  stop() {
    this.child.kill()
  }
}

export const getRequest = (path: string, token: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`
