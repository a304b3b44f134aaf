import { Tapedeck } from "../../src/index.ts"
import type { ClientOptions, Clock } from "../../src/options.ts"

/** A request as the fake service saw it. */
export interface Seen {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: unknown
}

export type Reply = (request: Seen, signal: AbortSignal) => Response | Promise<Response>

export const reply = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => {
  const text = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body)
  return () => new Response(text, { status, headers: { "x-request-id": "req-1", ...headers } })
}

/** A clock whose timers fire when a test says so, or at once. */
class FakeClock implements Clock {
  at = 1_000_000
  readonly waits: Array<number> = []
  readonly #timers = new Map<number, { readonly at: number; readonly callback: () => void }>()
  #next = 1

  now = () => this.at

  setTimeout = (callback: () => void, ms: number) => {
    const handle = this.#next++
    this.waits.push(ms)
    this.#timers.set(handle, { at: this.at + ms, callback })
    return handle
  }

  clearTimeout = (handle: unknown) => {
    this.#timers.delete(handle as number)
  }

  get pending(): number {
    return this.#timers.size
  }

  /** Moves the clock, and fires what falls due. */
  advance(ms: number): void {
    this.at += ms
    for (const [handle, timer] of [...this.#timers]) {
      if (timer.at > this.at || !this.#timers.delete(handle)) continue
      timer.callback()
    }
  }
}

/** The `fetch` of a service that gives these replies in turn, the last one again and again. */
export const fakeFetch = (replies: ReadonlyArray<Reply>) => {
  const seen: Array<Seen> = []
  const fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const request: Seen = {
      method: init.method ?? "GET",
      url: new URL(String(input)),
      headers: new Headers(init.headers),
      body: bodyOf(init)
    }
    seen.push(request)
    init.signal?.throwIfAborted()
    const next = replies[Math.min(seen.length, replies.length) - 1]!
    return next(request, init.signal!)
  }
  return { fetch, seen }
}

/** JSON is parsed; Effect sends text as bytes too. */
const bodyOf = ({ body, headers }: RequestInit): unknown => {
  const isJson = new Headers(headers).get("content-type") === "application/json"
  const text = body instanceof Uint8Array && isJson ? new TextDecoder().decode(body) : body
  return typeof text === "string" ? JSON.parse(text) : text
}

/** A client of a service that gives these replies. */
export const makeClient = (replies: ReadonlyArray<Reply>, options: ClientOptions = {}) => {
  const { fetch, seen } = fakeFetch(replies)
  const clock = new FakeClock()
  const tapedeck = new Tapedeck({
    baseUrl: "https://rec.test",
    token: "tdk_secret",
    fetch,
    clock,
    random: () => 0,
    ...options
  })
  return { tapedeck, seen, clock }
}

/** Lets promises go on until `isDone`, without waiting for a clock. */
export const settle = async (isDone: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 1000 && !isDone(); turn += 1) await new Promise((resolve) => setImmediate(resolve))
  if (!isDone()) throw new Error("nothing happened in 1,000 turns")
}

/** Values of `Retry-After` that are neither digits nor an HTTP date, though `Date.parse` or `Number` reads most of them. */
export const malformed = [
  "2.5",
  "-1",
  "+5",
  "1e3",
  "0x10",
  "5 s",
  "7, 9",
  "soon",
  "2030-01-01",
  "1970-01-01T00:16:49Z",
  "Thu, 1 Jan 1970 00:16:49 GMT",
  "Thu, 01 Jan 1970 00:16:49 +0000",
  "Thu, 31 Feb 1971 00:16:49 GMT",
  "Thu, 01 Jan 1970 24:16:49 GMT",
  "Thu, 01 Abc 1970 00:16:49 GMT"
]

export const never: Reply = (_, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
