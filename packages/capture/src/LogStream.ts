import { page, parse, quietly, setTimeout, stringify } from "./intrinsics.ts"
import { CaptureError, type LogTarget, type PageApi } from "./PageApi.ts"
import { storable, textOf } from "./text.ts"

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

/** Returns the header for this page. `startedAt` is the time at which `t` is 0, in milliseconds since 1970. */
export const headerOf = (startedAt: number): LogHeader => ({
  version: 1,
  started_at: new Date(startedAt).toISOString(),
  page: { url: location.origin, title: page().title },
  user_agent: textOf(navigator.userAgent),
  viewport: { width: Number(innerWidth) || 0, height: Number(innerHeight) || 0 },
  timezone: textOf(quietly(() => Intl.DateTimeFormat().resolvedOptions().timeZone)),
  language: textOf(navigator.language)
})

/** Returns an event as a line of a log, with U+FFFD for characters that cannot be stored. */
const lineOf = (event: object): string =>
  stringify(event, (_, value) => (typeof value === "string" ? storable(value) : value))

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** An event without its `seq`. */
export type UnnumberedEvent = Readonly<Record<string, unknown>> & { readonly t: number; readonly kind: string }

type NumberedEvent = UnnumberedEvent & { readonly seq: number }

/** Maximum numbers of events and characters of a batch, and of waiting events, beyond which new events are dropped. */
const batchEvents = 500
const batchCharacters = 256 * 1024
const maxWaitingEvents = 5_000
const maxWaitingCharacters = 4_000_000

const retryMs = 2_000

export interface LogStreamOptions {
  readonly api: PageApi
  readonly target: LogTarget
  readonly name: string
  /** Header of the stream; null if the server has it already. */
  readonly header: LogHeader | null
  /** Lines of a previous page that the server may not have. Default: none. */
  readonly unsent?: ReadonlyArray<string>
  /** `seq` of the first event. Default: 0. */
  readonly seq?: number
  /** Time for which events are collected for a request, in milliseconds. Default: 0. */
  readonly gatherMs?: number
  /** Returns the part of an event that is sent. Default: the whole event. */
  readonly prepare?: (event: NumberedEvent) => object
}

/**
 * Sends the events of one stream in their order. A failed batch is sent again, because the server skips repeated numbers. Events beyond
 * the maximum number of waiting events, and lines that the server refuses, are replaced by a `gap`.
 */
export class LogStream {
  readonly #options: LogStreamOptions
  #waiting: Array<UnnumberedEvent> = []
  #characters = 0
  /** Lines that are being sent, which are kept until the server has them. */
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

  /** `seq` of the next event. */
  get next(): number {
    return this.#seq
  }

  /** True while the server accepts events. */
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

  /** Resolves when the server has stored or refused all events. */
  async flush(): Promise<void> {
    await this.#sending
  }

  /** Takes all lines that the server may not have, in the order of the next batches. The header is the first line if the server does not have it. */
  takeAll(): ReadonlyArray<string> {
    const lines = [...this.#batch, ...this.#lines(this.#waiting)]
    this.#waiting = []
    this.#characters = 0
    this.#batch = lines
    return this.#withHeader(lines)
  }

  #withHeader(lines: ReadonlyArray<string>): ReadonlyArray<string> {
    return this.#header === null || lines.length === 0 ? lines : [lineOf(this.#header), ...lines]
  }

  #lines(events: ReadonlyArray<UnnumberedEvent>): ReadonlyArray<string> {
    const { prepare = (event) => event } = this.#options
    return events.map((event) => {
      const seq = this.#seq++
      return (
        quietly(() => lineOf(prepare({ seq, ...event }))) ??
        lineOf({ seq, t: event.t, kind: "gap", reason: "unreadable", dropped: 1 })
      )
    })
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
    const { api, gatherMs = 0, name, target } = this.#options
    while (this.#waiting.length > 0 || this.#batch.length > 0) {
      // Events that are added together leave in one request; events that are added while it is sent leave in the next one.
      if (this.#waiting.length < batchEvents) await (gatherMs === 0 ? undefined : wait(gatherMs))
      if (this.#batch.length === 0) this.#batch = this.#nextBatch()
      const sent = this.#batch
      const lines = this.#withHeader(sent)
      try {
        await api.appendLog(target, name, `${lines.join("\n")}\n`)
        this.#header = null
        if (this.#batch === sent) this.#batch = []
      } catch (error) {
        if (error instanceof CaptureError) this.#leaveOut(error, sent, lines.length - sent.length)
        else await wait(retryMs)
      }
    }
    this.#sending = null
  }

  /** Continues without the refused lines, or without the whole batch if the error names none. Stops sending if that does not help. */
  #leaveOut({ lines, status }: CaptureError, sent: ReadonlyArray<string>, headers: number) {
    const isOfLines = status === 413 || (status === 400 && (lines.some((line) => line > headers) || headers === 0))
    if (!isOfLines || (headers > 0 && lines.includes(1))) {
      this.#isRefused = true
      this.#waiting = []
      this.#batch = []
    } else if (this.#batch === sent) {
      const isLeft = (index: number) => lines.length === 0 || lines.includes(index + 1 + headers)
      const left = sent.filter((_, index) => isLeft(index)).map((line) => parse(line) as NumberedEvent)
      // A gap that is refused is not replaced by another one.
      const [first, ...more] = left.filter(({ reason }) => reason !== "refused")
      this.#batch = sent.filter((_, index) => !isLeft(index))
      if (first !== undefined) {
        const { seq, t } = first
        this.#batch = [...this.#batch, lineOf({ seq, t, kind: "gap", reason: "refused", dropped: 1 + more.length })]
      }
    }
  }
}

/** Returns the number of characters of an event's texts, plus some for the rest. */
export const sizeOf = (event: object): number => {
  let size = 50
  for (const value of Object.values(event)) {
    if (typeof value === "string") size += value.length
    else if (typeof value === "object" && value !== null) size += sizeOf(value)
  }
  return size
}
