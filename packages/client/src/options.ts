/** Clock of the client. Tests pass one that they move. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Calls `callback` after `ms` milliseconds, unless the handle is cleared before. */
  readonly setTimeout: (callback: () => void, ms: number) => unknown
  readonly clearTimeout: (handle: unknown) => void
}

/** Where the client writes a line for each attempt. No line holds a token, a query string or a body. */
export interface Logger {
  readonly debug: (message: string, fields: Readonly<Record<string, unknown>>) => void
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void
}

/** One attempt, before it is sent. `onRequest` may change the URL, headers and body. */
export interface OutgoingRequest {
  readonly method: string
  url: string
  /** Names in lower case. */
  readonly headers: Record<string, string>
  body: FileBody | undefined
  /** Counted from 1. */
  readonly attempt: number
}

/** Body that is sent unchanged: bytes or text. A stream can be sent only once, so its request is never retried. */
export type FileBody = Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array> | string

/** Options of the client that a single request can override. */
export interface Settings {
  /** Address of the service, without `/api`: `https://rec.acme.example`. Default in Node: `TAPEDECK_BASE_URL`. */
  readonly baseUrl?: string | undefined
  /** Personal access token. Default in Node: `TAPEDECK_TOKEN`. Null sends none, for a page with a session cookie. */
  readonly token?: string | null | undefined
  /** How often a request is retried at most: 2. 0 means never. */
  readonly maxRetries?: number | undefined
  /** Longest wait for response headers, and then between two pieces of the body: 60,000 ms. */
  readonly timeoutMs?: number | undefined
  /** Sent with each request. A header of a request replaces the client's of the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  readonly logger?: Logger | undefined
  /** Called before each attempt. */
  readonly onRequest?: ((request: OutgoingRequest) => void | Promise<void>) | undefined
  /** Called with the response of each attempt, refusals included. Its body must be left unread, or cloned. */
  readonly onResponse?: ((response: Response, request: OutgoingRequest) => void | Promise<void>) | undefined
}

export interface ClientOptions extends Settings {
  /** For tests. Default: the machine's clock. */
  readonly clock?: Clock | undefined
  /** A number from 0 up to 1, for the jitter of retries. Default: `Math.random`. */
  readonly random?: (() => number) | undefined
}

export interface RequestOptions extends Settings {
  /** Ends the request, its retries and the reading of its body. */
  readonly signal?: AbortSignal | undefined
  /** The key of a POST of the settings API, for a caller that retries by itself. Default: a new UUID for each call. */
  readonly idempotencyKey?: string | undefined
}

/** The type of a body that is not JSON. */
export interface ContentType<Type extends string> {
  readonly contentType?: Type | undefined
}
