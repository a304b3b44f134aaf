import { CuttingLine } from "../support/CuttingLine.ts"
import type { Caller } from "./judge.ts"

/** A connection that a node made. */
export interface Call {
  /** As PostgreSQL sees it. */
  readonly port: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly caller: Caller
}

/** The line between a node and PostgreSQL, with a record of its connections. */
export class CuttingProxy {
  /** Each connection with its caller of that moment, by port: a port is used again once it is free. */
  private readonly calls = new Map<number, ReadonlyArray<Call>>()
  private line!: CuttingLine

  static async start(to: number, caller: () => Caller): Promise<CuttingProxy> {
    const proxy = new CuttingProxy()
    proxy.line = await CuttingLine.start({
      to: () => to,
      onAccept: () => {
        const by = caller()
        return ({ localPort: port = 0 }) => {
          proxy.calls.set(port, [...proxy.callsFrom(port), { port, at: Date.now(), caller: by }])
        }
      }
    })
    return proxy
  }

  get port(): number {
    return this.line.port
  }

  callsFrom(port: number): ReadonlyArray<Call> {
    return this.calls.get(port) ?? []
  }

  /** The ports from which PostgreSQL is connected to now. */
  get open(): ReadonlyArray<number> {
    return this.line.open
  }

  cut(): void {
    this.line.cut()
  }

  close(): Promise<void> {
    return this.line.close()
  }
}
