import { Life, type LifeOptions, type Listening } from "../crash/Life.ts"
import { CuttingProxy } from "./CuttingProxy.ts"

export interface NodeOptions {
  readonly name: string
  /** The database's own URL, past the proxy that cuts nodes off. */
  readonly databaseUrl: string
  /** What the process is started with, but for its way to the database. */
  readonly life: LifeOptions
}

/** A database comes back sooner. */
const mostFailedStarts = 20

/**
 * A supervised node: `tapedeck serve`, started again whenever it was killed, with its own proxy to the database.
 */
export class Node {
  readonly name: string
  readonly proxy: CuttingProxy
  /** It was not asked to end, and did. */
  readonly faults: Array<string> = []
  /** Starts that ended before it listened: the database was not there. */
  failedStarts = 0
  /** Whether it may be sent to: it is neither starting nor stopped. */
  isUp = false
  private readonly options: LifeOptions
  private life: Life | undefined
  private lives = 0
  private isWanted = true
  private ready: Promise<Listening> = Promise.reject(new Error("not started"))

  private constructor(name: string, proxy: CuttingProxy, options: LifeOptions) {
    this.name = name
    this.proxy = proxy
    this.options = options
    this.ready.catch(() => {})
  }

  static async start({ databaseUrl, life, name }: NodeOptions): Promise<Node> {
    const url = new URL(databaseUrl)
    let node: Node | undefined
    const proxy = await CuttingProxy.start(Number(url.port), () => ({ node: name, life: node?.lives ?? 1 }))
    url.port = String(proxy.port)
    const environment = { ...life.environment, TAPEDECK_DATABASE_URL: url.href }
    node = new Node(name, proxy, { ...life, environment })
    node.ready = node.listen()
    node.ready.catch(() => {})
    return node
  }

  /** Starts until a start succeeds. */
  private async listen(): Promise<Listening> {
    for (;;) {
      this.lives += 1
      const life = new Life(this.options)
      this.life = life
      try {
        const listening = await life.listening
        this.isUp = true
        void life.ended.then((ending) => this.ended(life, ending))
        return listening
      } catch (error) {
        if (!this.isWanted) throw error
        const ending = await life.ended
        // A start is refused with 5 while the database is not to be reached; any other is a fault.
        if (ending === "SIGKILL") continue
        if (ending !== 5 || this.failedStarts >= mostFailedStarts) throw error
        this.failedStarts += 1
      }
    }
  }

  private ended(life: Life, ending: number | string | null): void {
    if (this.life !== life) return
    this.isUp = false
    if (!this.isWanted) return
    if (ending !== "SIGKILL")
      this.faults.push(`${this.name} ended by itself with ${ending}: ${life.errors.slice(-2_000)}`)
    this.ready = this.listen()
    this.ready.catch((error) => this.faults.push(`${this.name} does not start: ${(error as Error).message}`))
  }

  /** Once it answers. */
  get listening(): Promise<Listening> {
    return this.ready
  }

  /** `kill -9`; it is started again at once. */
  kill(): void {
    this.isUp = false
    this.life?.kill("SIGKILL")
  }

  /** Until `resume` it does nothing, and knows nothing of it. */
  stop(): void {
    this.isUp = false
    this.life?.kill("SIGSTOP")
  }

  resume(): void {
    this.isUp = true
    this.life?.kill("SIGCONT")
  }

  /** Asks it to end; what it ended with. */
  async end(): Promise<number | string | null> {
    this.isWanted = false
    this.life?.kill("SIGTERM")
    return (await this.life?.ended) ?? null
  }

  /** Ends it whatever it does, and its way to the database with it. */
  async close(): Promise<void> {
    this.isWanted = false
    this.life?.kill("SIGKILL")
    await this.life?.ended
    await this.proxy.close()
  }
}
