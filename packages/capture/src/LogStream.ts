import { CaptureError, type LogTarget, type PageApi } from "./PageApi.ts"

/** The first line of a stream's log. */
export interface LogHeader {
  readonly version: 1
  readonly started_at: string
  readonly page: { readonly url: string; readonly title: string }
  readonly user_agent: string
  readonly viewport: { readonly width: number; readonly height: number }
  readonly timezone: string
  readonly language: string
}

/** The header of this page. `startedAt`: milliseconds since 1970 at which `t` is 0. */
export const headerOf = (startedAt: number): LogHeader => ({
  version: 1,
  started_at: new Date(startedAt).toISOString(),
  page: { url: location.origin, title: document.title },
  user_agent: navigator.userAgent,
  viewport: { width: innerWidth, height: innerHeight },
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  language: navigator.language
})

/** An event without its `seq`. */
export type UnnumberedEvent = Readonly<Record<string, unknown>> & { readonly t: number; readonly kind: string }

type NumberedEvent = UnnumberedEvent & { readonly seq: number }

/** Events and characters of a batch, and of what waits: beyond it new events are dropped. */
const batchEvents = 500
const batchCharacters = 256 * 1024
const maxWaitingEvents = 5_000
const maxWaitingCharacters = 4_000_000

const retryMs = 2_000

export interface LogStreamOptions {
  readonly api: PageApi
  readonly target: LogTarget
  readonly name: string
  /** Null where the server has it already. */
  readonly header: LogHeader | null
  /** Lines of a page before that the server may not have. */
  readonly unsent?: ReadonlyArray<string>
  /** The first event's `seq`. Default: 0. */
  readonly seq?: number
  /** How long events are gathered for a request. Default: 0. */
  readonly gatherMs?: number
  /** What is sent of an event. Default: all of it. */
  readonly prepare?: (event: NumberedEvent) => object
}

/**
 * Sends the events of one stream in their order. A batch that failed is sent again: the server skips repeated numbers. Events
 * beyond what may wait become a `gap`.
 */
export class LogStream {
  readonly #options: LogStreamOptions
  #waiting: Array<UnnumberedEvent> = []
  #characters = 0
  /** Lines that are being sent, and stay until the server has them. */
  #batch: ReadonlyArray<string> = []
  #seq: number
  #dropped = 0
  #sending: Promise<void> | null = null
  #isRefused = false
  #header: LogHeader | null

  constructor(options: LogStreamOptions) {
    this.#options = options
    this.#header = options.header
    this.#seq = options.seq ?? 0
    this.#batch = options.unsent ?? []
    if (this.#batch.length > 0) this.#sending = this.#send()
  }

  /** The next event's `seq`. */
  get next(): number {
    return this.#seq
  }

  /** False once the server takes no more. */
  get isOpen(): boolean {
    return !this.#isRefused
  }

  add(event: UnnumberedEvent) {
    if (this.#isRefused) return
    if (this.#waiting.length >= maxWaitingEvents || this.#characters >= maxWaitingCharacters) {
      this.#dropped += 1
      return
    }
    if (this.#dropped > 0) {
      this.#waiting.push({ t: event.t, kind: "gap", reason: "not_sent_in_time", dropped: this.#dropped })
      this.#dropped = 0
    }
    this.#characters += sizeOf(event)
    this.#waiting.push(event)
    this.#sending ??= this.#send()
  }

  /** Resolves when all events are with the server, or were refused. */
  async flush(): Promise<void> {
    await this.#sending
  }

  /** All lines that the server may not have, as the next batches would be; the header is the first while it was not taken. */
  takeAll(): ReadonlyArray<string> {
    const lines = [...this.#batch, ...this.#lines(this.#waiting)]
    this.#waiting = []
    this.#characters = 0
    this.#batch = lines
    return this.#withHeader(lines)
  }

  #withHeader(lines: ReadonlyArray<string>): ReadonlyArray<string> {
    return this.#header === null || lines.length === 0 ? lines : [JSON.stringify(this.#header), ...lines]
  }

  #lines(events: ReadonlyArray<UnnumberedEvent>): ReadonlyArray<string> {
    const { prepare = (event) => event } = this.#options
    return events.map((event) => JSON.stringify(prepare({ seq: this.#seq++, ...event })))
  }

  #nextBatch(): ReadonlyArray<string> {
    let count = 0
    let characters = 0
    while (count < this.#waiting.length && count < batchEvents && characters < batchCharacters) {
      characters += sizeOf(this.#waiting[count]!)
      count += 1
    }
    this.#characters -= characters
    return this.#lines(this.#waiting.splice(0, count))
  }

  async #send(): Promise<void> {
    // What is added in one go leaves in one request.
    const { api, gatherMs = 0, name, target } = this.#options
    await (gatherMs === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, gatherMs)))
    while (this.#waiting.length > 0 || this.#batch.length > 0) {
      if (this.#batch.length === 0) this.#batch = this.#nextBatch()
      const sent = this.#batch
      try {
        await api.appendLog(target, name, `${this.#withHeader(sent).join("\n")}\n`)
        this.#header = null
        if (this.#batch === sent) this.#batch = []
      } catch (error) {
        if (error instanceof CaptureError) {
          this.#isRefused = true
          this.#waiting = []
          this.#batch = []
        } else await new Promise((resolve) => setTimeout(resolve, retryMs))
      }
    }
    this.#sending = null
  }
}

/** Characters of an event's texts, and some for the rest. */
export const sizeOf = (event: object): number => {
  let size = 50
  for (const value of Object.values(event)) {
    if (typeof value === "string") size += value.length
    else if (typeof value === "object" && value !== null) size += sizeOf(value)
  }
  return size
}
