import { fileURLToPath } from "node:url"

const root = new URL("../../../../", import.meta.url).href

interface Message {
  readonly id: number
  readonly result: unknown
  readonly error?: { readonly message: string }
}

interface Script {
  readonly url: string
  readonly functions: ReadonlyArray<{ readonly ranges: ReadonlyArray<{ readonly count: number }> }>
}

/** Says which source files of the repository a process executes. The process runs from source, with `--inspect`. */
export class Coverage {
  private readonly socket: WebSocket
  private readonly waiting = new Map<number, (message: Message) => void>()
  private last = 0

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as Message
      this.waiting.get(message.id)?.(message)
      this.waiting.delete(message.id)
    })
  }

  static async connect(inspectorPort: number): Promise<Coverage> {
    const targets = await (await fetch(`http://127.0.0.1:${inspectorPort}/json/list`)).json()
    const [{ webSocketDebuggerUrl }] = targets as [{ readonly webSocketDebuggerUrl: string }]
    const socket = new WebSocket(webSocketDebuggerUrl)
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve, { once: true })
      socket.addEventListener("error", reject, { once: true })
    })
    const coverage = new Coverage(socket)
    await coverage.call("Profiler.enable")
    await coverage.call("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
    return coverage
  }

  /** The files, from the root, of which a function was called while `action` ran. */
  async during(action: () => Promise<void>): Promise<ReadonlySet<string>> {
    await this.call("Profiler.takePreciseCoverage")
    await action()
    const { result } = (await this.call("Profiler.takePreciseCoverage")) as { readonly result: ReadonlyArray<Script> }
    const called = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    return new Set(
      called.flatMap(({ url }) => (isSource(url) ? [fileURLToPath(url).slice(fileURLToPath(root).length)] : []))
    )
  }

  close(): void {
    this.socket.close()
  }

  private call(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.last
    return new Promise((resolve, reject) => {
      this.waiting.set(id, ({ error, result }) =>
        error === undefined ? resolve(result) : reject(new Error(error.message))
      )
      this.socket.send(JSON.stringify({ id, method, params }))
    })
  }
}

const isSource = (url: string): boolean => url.startsWith(root) && !url.includes("/node_modules/")
