import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"
import { Transform } from "node:stream"

export interface LineOptions {
  /** The port that connections go to on this machine; null refuses them. */
  readonly to: () => number | null
  /** A connection was accepted; the result is called once it is connected to the far end. */
  readonly onAccept?: () => (far: Socket) => void
  /** The near end sent bytes. */
  readonly onBytes?: () => void
  /** What the near end sends arrives so many milliseconds later. */
  readonly delayMs?: number
}

const delayed = (delayMs: number) =>
  new Transform({
    transform: (chunk, _, done) => void setTimeout(() => done(null, chunk), delayMs)
  })

/** A TCP proxy on loopback whose connections can be cut. */
export class CuttingLine {
  private readonly pairs = new Set<readonly [Socket, Socket]>()
  private readonly server: Server

  private constructor({ delayMs, onAccept, onBytes, to }: LineOptions) {
    this.server = createServer((near) => {
      const port = to()
      if (port === null) return void near.resetAndDestroy()
      const onConnect = onAccept?.()
      const far = connect(port, "127.0.0.1", () => onConnect?.(far))
      const pair = [near, far] as const
      this.pairs.add(pair)
      if (onBytes !== undefined) near.on("data", onBytes)
      const sent = delayMs === undefined ? near : near.pipe(delayed(delayMs))
      sent.pipe(far)
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

  static async start(options: LineOptions): Promise<CuttingLine> {
    const line = new CuttingLine(options)
    line.server.listen(0, "127.0.0.1")
    await once(line.server, "listening")
    return line
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  /** The local ports of the connections to the far end. */
  get open(): ReadonlyArray<number> {
    return [...this.pairs].flatMap(([, far]) => far.localPort ?? [])
  }

  /** Aborts every connection, also in the middle of a message. */
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
