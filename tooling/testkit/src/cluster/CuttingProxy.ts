import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"
import type { Caller } from "./judge.ts"

/** A connection that a node made. */
export interface Call {
  /** As PostgreSQL sees it. */
  readonly port: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly caller: Caller
}

/** Between a node and PostgreSQL: it passes on what both say, until it is told to cut their connections. */
export class CuttingProxy {
  /** Who connected, as `who` said at that moment, from which port: a port is another's once it is free again. */
  private readonly calls = new Map<number, ReadonlyArray<Call>>()
  private readonly pairs = new Set<readonly [Socket, Socket]>()
  private readonly server: Server

  private constructor(to: number, who: () => Caller) {
    this.server = createServer((near) => {
      const caller = who()
      const far = connect(to, "127.0.0.1", () => this.noted({ port: far.localPort ?? 0, at: Date.now(), caller }))
      const pair = [near, far] as const
      this.pairs.add(pair)
      near.pipe(far)
      far.pipe(near)
      for (const socket of pair) {
        socket.on("error", () => {})
        socket.on("close", () => {
          for (const either of pair) either.destroy()
          this.pairs.delete(pair)
        })
      }
    })
  }

  static async start(to: number, who: () => Caller): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(to, who)
    proxy.server.listen(0, "127.0.0.1")
    await once(proxy.server, "listening")
    return proxy
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  private noted(call: Call): void {
    this.calls.set(call.port, [...this.callsFrom(call.port), call])
  }

  callsFrom(port: number): ReadonlyArray<Call> {
    return this.calls.get(port) ?? []
  }

  /** The ports from which PostgreSQL is connected to now. */
  get open(): ReadonlyArray<number> {
    return [...this.pairs].flatMap(([, far]) => far.localPort ?? [])
  }

  /** Breaks every connection off, in the middle of whatever is said. */
  cut(): void {
    for (const [near, far] of this.pairs) {
      near.resetAndDestroy()
      far.resetAndDestroy()
    }
  }

  async close(): Promise<void> {
    this.server.close()
    this.cut()
    await once(this.server, "close")
  }
}
