import { AbortSignal, stringify, URL } from "./intrinsics.ts"
import { textOf } from "./text.ts"

/** Where a log goes, and the token that opens it. */
export interface LogTarget {
  readonly capture_token: string
  readonly logs_url: string
}

/** What a site says of itself: `GET /sites/{key}`. */
export interface SiteView {
  readonly name: string
  readonly account_name: string
  readonly origins: ReadonlyArray<string>
  readonly redaction: {
    readonly headers: ReadonlyArray<string>
    readonly query_parameters: ReadonlyArray<string>
    readonly selectors: ReadonlyArray<string>
    readonly body_urls: ReadonlyArray<string>
  }
  readonly max_duration_seconds: number
}

/** What a site's page says of a recording. */
export interface SiteDetails {
  readonly title?: string
  readonly ticket_id?: string
  readonly customer?: { readonly email: string }
}

/** Access of one page to a capture's log. */
export interface Pairing {
  readonly capture_id: string
  readonly log_token: string
  readonly logs_url: string
  readonly started_at: string
}

/**
 * A request that was refused. Network failures and answers of 5xx are no refusals: they are tried again. `lines` are the numbers of
 * the request's lines that cannot be read, where the answer names them.
 */
export class CaptureError extends Error {
  override readonly name = "CaptureError"
  readonly status: number
  readonly lines: ReadonlyArray<number>

  constructor(status: number, message: string, lines: ReadonlyArray<number> = []) {
    super(message)
    this.status = status
    this.lines = lines
  }
}

/** No answer, or one that may be another later. `status` is null without an answer; `afterMs` is the server's `Retry-After`. */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError"
  readonly status: number | null
  readonly afterMs: number | undefined

  constructor(message: string, status: number | null = null, afterMs?: number) {
    super(message)
    this.status = status
    this.afterMs = afterMs
  }
}

/** A request's time limit, in milliseconds: beyond it a connection is taken for dead. */
const timeoutMs = 60_000

/** Statuses that pass: the same request may succeed later. */
const passes = (status: number) => status === 408 || status === 423 || status === 429 || status >= 500

/** The content of a refusal. */
export interface Refusal {
  readonly error?: unknown
  readonly message?: unknown
  readonly lines?: ReadonlyArray<number>
}

/** The calls of a site's page. `origin` is empty for the page's own. */
export class PageApi {
  readonly base: string
  readonly #origin: string
  readonly #fetch: typeof globalThis.fetch

  /**
   * `base` is the product's address: a path as `/worlds/w1`, or with an origin; without a slash at its end. `send` replaces
   * `fetch`, where the page's is wrapped.
   */
  constructor(base: string, send: typeof globalThis.fetch = (input, init) => fetch(input, init)) {
    this.base = base
    this.#fetch = send
    this.#origin = /^https?:/.test(base) ? new URL(base).origin : ""
  }

  /** What a site's page and its recorder need to know. */
  readonly site = (key: string): Promise<SiteView> => this.json("GET", `${this.base}/api/capture/sites/${key}`)

  /** What a page gets for a code. */
  readonly pair = (code: string): Promise<Pairing> =>
    this.json("POST", `${this.base}/api/capture/pairings`, { body: stringify({ code }) })

  /** Appends lines to the log of a stream; the first batch of a stream begins with the header. */
  readonly appendLog = async (
    { capture_token, logs_url }: LogTarget,
    stream: string,
    lines: string,
    keepalive = false
  ): Promise<void> => {
    await this.request("POST", `${logs_url}?stream=${encodeURIComponent(stream)}`, {
      body: lines,
      keepalive,
      headers: { authorization: `Capture ${capture_token}`, "content-type": "application/x-ndjson" }
    })
  }

  protected async json<A>(
    method: string,
    path: string,
    { body, token }: { readonly body?: string; readonly token?: string } = {}
  ): Promise<A> {
    const headers = {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(token !== undefined && { authorization: `Capture ${token}` })
    }
    const response = await this.request(method, path, {
      headers,
      ...(body !== undefined && { body })
    })
    return (await response.json()) as A
  }

  /** A response of 2xx; anything else is thrown. */
  async request(
    method: string,
    path: string,
    init: Pick<RequestInit, "body" | "keepalive"> & { readonly headers: Readonly<Record<string, string>> }
  ): Promise<Response> {
    const url = path.startsWith("/") ? `${this.#origin}${path}` : path
    const response = await this.#fetch
      .call(globalThis, url, {
        method,
        cache: method === "GET" ? "default" : "no-store",
        ...init,
        credentials: "omit",
        signal: AbortSignal.timeout(timeoutMs)
      })
      .catch((error: unknown) => {
        throw new UnavailableError(String(error))
      })
    if (response.ok) return response
    throw this.failure(response, await response.json().catch(() => null))
  }

  protected failure({ status }: Response, answer: Refusal | null): Error {
    const message = textOf(answer?.error ?? answer?.message) || `status ${status}`
    return passes(status) ? new UnavailableError(message, status) : new CaptureError(status, message, answer?.lines)
  }
}
