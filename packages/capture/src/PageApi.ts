import { AbortSignal, stringify, URL } from "./intrinsics.ts"
import { textOf } from "./text.ts"

/** Address of a log, and the token that writes it. */
export interface LogTarget {
  readonly capture_token: string
  readonly logs_url: string
}

/** Public part of a site: `GET /sites/{key}`. */
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

/** Details of a recording from the page of a site. */
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
 * A refused request. Network failures and 5xx responses are not refusals: they are retried. `lines` has the numbers of the malformed lines
 * of the request, if the response names them.
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

/** No response, or a response that may change later. `status` is null without a response; `afterMs` is the server's `Retry-After`, in milliseconds. */
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

/** Maximum time of a request, in milliseconds. After it, the connection is considered dead. */
const timeoutMs = 60_000

/** Returns whether a status is temporary, so that the same request may succeed later. */
const passes = (status: number) => status === 408 || status === 423 || status === 429 || status >= 500

/** The content of a refusal. */
export interface Refusal {
  readonly error?: unknown
  readonly message?: unknown
  readonly lines?: ReadonlyArray<number>
}

/** Calls of the page of a site. */
export class PageApi {
  readonly base: string
  readonly #origin: string
  readonly #fetch: typeof globalThis.fetch

  /**
   * `base` is the address of the product: a path such as `/worlds/w1`, or with an origin, without a slash at its end. `send` replaces
   * `fetch`, for pages whose `fetch` is wrapped.
   */
  constructor(base: string, send: typeof globalThis.fetch = (input, init) => fetch(input, init)) {
    this.base = base
    this.#fetch = send
    this.#origin = /^https?:/.test(base) ? new URL(base).origin : ""
  }

  /** Returns the public part of a site. */
  readonly site = (key: string): Promise<SiteView> => this.json("GET", `${this.base}/api/capture/sites/${key}`)

  /** Redeems a code. Returns the access of the page to the log. */
  readonly pair = (code: string): Promise<Pairing> =>
    this.json("POST", `${this.base}/api/capture/pairings`, { body: stringify({ code }) })

  /** Appends lines to the log of a stream. The first batch of a stream starts with the header. */
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

  /** Sends a request. Returns a 2xx response, and throws for any other. */
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
