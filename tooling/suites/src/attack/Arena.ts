import { readFileSync } from "node:fs"
import { request } from "node:http"
import { connect, type Socket } from "node:net"
import { Random } from "../determinism/Random.ts"
import type { Folder } from "../support/process.ts"
import type { Behaviour, Received, Receiver } from "../support/receiver.ts"
import { receiver } from "../support/receiver.ts"
import { ada, type Service, type ServiceOptions, startService } from "./Service.ts"
import type { Size, TargetName } from "./targets.ts"

export interface CallOptions {
  readonly method?: string
  /** Ada's unless it is said; null for none. */
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: string | Uint8Array
  /** The address on loopback that it comes from. */
  readonly from?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
}

/** No request takes longer: then the service hangs, and no other request is sent. */
const hangsAfterMs = 60_000

/** Attackers come from here, so that a limit of one address does not affect the health check. */
export const elsewhere = "127.0.0.2"

/** A step of an attack. */
export interface Lap {
  readonly step: string
  /** The longest that a health check waited for it: no longer than the process computed, on a machine with other work. */
  readonly healthMs: number
}

/** What an attack acts on: a service, and notes of what was not as promised. */
export class Arena {
  readonly target: TargetName
  readonly size: Size
  readonly seed: number
  readonly random: Random
  readonly folder: Folder
  readonly faults: Array<string> = []
  /** The longest health check beside each step that was watched alone. */
  readonly laps: Array<Lap> = []
  private current: Service
  private readonly options: ServiceOptions
  private readonly receivers: Array<Receiver> = []
  private readonly sockets = new Set<Socket>()
  private isHung = false
  private storedBytes = 0
  private readonly pause: () => void
  private readonly follow: (service: Service) => Promise<void>
  private readonly lap: () => Promise<number>

  constructor(fields: {
    readonly size: Size
    readonly seed: number
    readonly folder: Folder
    readonly service: Service
    readonly options: ServiceOptions
    /** No process is watched from now on, until there is one to follow. */
    readonly pause: () => void
    readonly follow: (service: Service) => Promise<void>
    /** The longest health check since the last lap, in milliseconds. */
    readonly lap: () => Promise<number>
  }) {
    this.target = fields.options.target
    this.size = fields.size
    this.seed = fields.seed
    this.random = new Random(fields.seed)
    this.folder = fields.folder
    this.current = fields.service
    this.options = fields.options
    this.pause = fields.pause
    this.follow = fields.follow
    this.lap = fields.lap
  }

  get service(): Service {
    return this.current
  }

  get isFull(): boolean {
    return this.size === "full"
  }

  /** The full count, or the short one. */
  of(full: number, short: number): number {
    return this.isFull ? full : short
  }

  fault(what: string): void {
    this.faults.push(what.length > 600 ? `${what.slice(0, 600)}…` : what)
  }

  /** Counts bytes that the service keeps by design: the emulator has them in memory. */
  stores(bytes: number): void {
    this.storedBytes += bytes
  }

  /** MiB that the process may have more for what it keeps. */
  get storedMb(): number {
    return this.target === "emulator" ? this.storedBytes / 1024 / 1024 : 0
  }

  check(holds: boolean, what: string): void {
    if (!holds) this.fault(what)
  }

  /** Stops the service and starts it again on the same data, with more options or variables. */
  async restart(more: Partial<Pick<ServiceOptions, "args" | "data" | "environment" | "wrap">> = {}): Promise<void> {
    this.pause()
    await this.current.stop()
    const environment = { ...this.options.environment, ...more.environment }
    this.current = await startService({ ...this.options, ...more, environment })
    await this.follow(this.current)
  }

  /** Watches the health beside one step. */
  async watched<T>(step: string, act: () => Promise<T>): Promise<T> {
    await this.lap()
    const before = cpuMs(this.current.pid)
    const result = await act()
    const healthMs = Math.min(await this.lap(), cpuMs(this.current.pid) - before)
    this.laps.push({ step, healthMs })
    return result
  }

  /** One request on a connection of its own. An error of the connection has the status 0. */
  call(path: string, options: CallOptions = {}): Promise<Answer> {
    if (this.isHung) return Promise.resolve({ status: 0, headers: {}, text: "the service hangs" })
    const { json, token = ada } = options
    const body = json === undefined ? options.body : JSON.stringify(json)
    const headers = {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(json !== undefined && { "content-type": "application/json" }),
      ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
      ...options.headers
    }
    const url = new URL(this.current.baseUrl + path)
    return new Promise((resolve) => {
      const failed = (cause: Error) => resolve({ status: 0, headers: {}, text: cause.message })
      const outgoing = request(
        {
          agent: false,
          host: url.hostname,
          port: url.port,
          path: this.current.prefix + path,
          method: options.method ?? "GET",
          headers,
          localAddress: options.from
        },
        (incoming) => {
          const pieces: Array<Buffer> = []
          incoming.on("data", (piece: Buffer) => pieces.push(piece))
          incoming.on("error", failed)
          incoming.on("end", () => {
            const text = Buffer.concat(pieces).toString("utf8")
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text })
          })
        }
      )
      outgoing.setTimeout(hangsAfterMs, () => {
        this.isHung = true
        outgoing.destroy(new Error(`no answer within ${hangsAfterMs} ms`))
      })
      outgoing.on("error", failed)
      outgoing.end(body)
    })
  }

  /** Calls, watches the health beside it, and notes an error of the service. */
  async send(step: string, path: string, options: CallOptions): Promise<Answer> {
    const answer = await this.watched(step, () => this.call(path, options))
    const { status, text } = answer
    const isFine = (status >= 200 && status < 500) || status === 503 || status === 507
    this.check(isFine, `${step}: ${status} ${text.slice(0, 200)}`)
    return answer
  }

  /** Calls, and notes a status that is none of these, or a refusal that does not say `error`. */
  async must(path: string, options: CallOptions, statuses: ReadonlyArray<number>, error?: RegExp): Promise<Answer> {
    const answer = await this.call(path, options)
    const { status, text } = answer
    const what = `${options.method ?? "GET"} ${path.slice(0, 120)}: ${status} ${text.slice(0, 200)}`
    this.check(statuses.includes(status), `${what}; expected ${statuses.join(" or ")}`)
    if (status >= 400 && statuses.includes(status)) {
      const named = errorOf(text)
      this.check(named !== undefined && (error === undefined || error.test(named)), `${what}; expected ${error}`)
    }
    return answer
  }

  /** The body of a call that has to succeed for the attack to begin. */
  async made<T>(path: string, options: CallOptions): Promise<T> {
    const { status, text } = await this.call(path, options)
    if (status < 200 || status > 299)
      throw new Error(`${options.method ?? "GET"} ${path}: ${status} ${text.slice(0, 500)}`)
    return JSON.parse(text === "" ? "null" : text) as T
  }

  settings<T>(method: string, path: string, json?: unknown): Promise<T> {
    return this.made<T>(`/api/settings${path}`, { method, ...(json !== undefined && { json }) })
  }

  async recording(json: unknown = { title: "Attacked" }): Promise<string> {
    return (await this.settings<{ uuid: string }>("POST", "/recordings", json)).uuid
  }

  /** A receiver on loopback that the service may call. */
  async receiver(behave: (request: Received, nth: number) => Behaviour): Promise<Receiver> {
    const made = await receiver(behave, "127.0.0.1", this.current.receiverScheme)
    this.receivers.push(made)
    return made
  }

  /** What is due now happens: on the emulator the clock is moved by nothing. */
  async happen(): Promise<void> {
    if (this.target !== "emulator") return
    await this.made("/_emulator/clock/advance", { method: "POST", json: { by: 0 } })
  }

  /** A bare connection, ended with the attack at the latest. */
  socket(from?: string): Promise<Socket> {
    const { hostname, port } = new URL(this.current.baseUrl)
    const socket = connect({ host: hostname, port: Number(port), ...(from !== undefined && { localAddress: from }) })
    this.sockets.add(socket)
    socket.on("close", () => this.sockets.delete(socket))
    return new Promise((resolve) => {
      socket.once("connect", () => resolve(socket))
      socket.on("error", () => resolve(socket))
    })
  }

  async end(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    await Promise.all(this.receivers.splice(0).map((each) => each.close()))
  }
}

/** Processor time of a process, in milliseconds: Linux counts it in hundredths of a second. */
const cpuMs = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** What a refusal says, in the shape of v2 and the settings API, or of v1. */
const errorOf = (text: string): string | undefined => {
  try {
    const { error } = JSON.parse(text) as { error?: string | { message?: string } }
    return typeof error === "string" ? error : error?.message
  } catch {
    return undefined
  }
}

/** Calls `make` so many times, some at a time. */
export const inTurns = async (
  count: number,
  atATime: number,
  make: (nth: number) => Promise<unknown>
): Promise<void> => {
  let next = 0
  const work = async () => {
    while (next < count) await make(next++)
  }
  await Promise.all(Array.from({ length: Math.min(count, atATime) }, work))
}

/** Calls again until it holds; the last answer if it never does. */
export const until = async <T>(call: () => Promise<T>, holds: (value: T) => boolean, forMs = 30_000): Promise<T> => {
  const end = performance.now() + forMs
  for (;;) {
    const value = await call()
    if (holds(value) || performance.now() > end) return value
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
