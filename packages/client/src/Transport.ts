import type { Sent } from "./Answer.ts"
import { Attempt } from "./Attempt.ts"
import type { Call } from "./Call.ts"
import { ConnectionError, errorOf, isRedirectable, redirectMessageOf, TapedeckError } from "./errors.ts"
import type { ClientOptions, ContentType, FileBody, OutgoingRequest, RequestOptions } from "./options.ts"
import { isRepeatable, isRetryableStatus, newKey, retryDelayMs } from "./retries.ts"
import { hide, type Resolved, resolve } from "./settings.ts"

type Options = (RequestOptions & ContentType<string>) | undefined

/** Reads a response; may keep the attempt open, as a stream does, by `attempt.keep()`. */
export type Read<Data> = (response: Response, attempt: Attempt) => Promise<Data>

const isRaw = (body: object | string): body is FileBody =>
  typeof body === "string" ||
  body instanceof Uint8Array ||
  body instanceof ArrayBuffer ||
  body instanceof Blob ||
  body instanceof ReadableStream

export const queryText = (query: object | undefined): string => {
  let text = ""
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue
    for (const one of Array.isArray(value) ? value : [value]) {
      text += `${text === "" ? "?" : "&"}${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`
    }
  }
  return text
}

const json: Read<unknown> = async (response, attempt) => {
  if (response.status === 204) return undefined
  const text = await attempt.text(response)
  if (text === "") return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new TapedeckError("The response is not JSON: is baseUrl the address of the service?", {
      status: response.status,
      headers: response.headers,
      body: text.slice(0, 1000)
    })
  }
}

/** Sends calls: addresses, headers, retries, time-outs and errors. */
export class Transport {
  readonly #options: ClientOptions
  readonly #settings: Resolved

  constructor(options: ClientOptions) {
    this.#options = options
    this.#settings = resolve(options, undefined)
  }

  get nowMs(): number {
    return this.#settings.clock.now()
  }

  json<Data>(call: Call, options: Options): Promise<Sent<Data>> {
    return this.send(call, options, json as Read<Data>)
  }

  /** Sends a call until a response is read, or no retry is left. */
  async send<Data>(call: Call, options: Options, read: Read<Data>): Promise<Sent<Data>> {
    const settings = options === undefined ? this.#settings : resolve(this.#options, options)
    const key = call.isKeyed ? (options?.idempotencyKey ?? newKey(settings.random)) : options?.idempotencyKey
    const headers = this.#headers(call, settings, options, key)
    const body = call.body === undefined || isRaw(call.body) ? call.body : JSON.stringify(call.body)
    const canRetry = !(body instanceof ReadableStream) && isRepeatable(call.method, call.isKeyed === true)
    const retries = canRetry ? settings.maxRetries : 0
    for (let number = 1; ; number += 1) {
      const request = {
        method: call.method,
        url: settings.baseUrl + call.path + queryText(call.query),
        headers: { ...headers },
        body,
        attempt: number
      }
      const sent = await this.#attempt(request, settings, options?.signal, read)
      if ("data" in sent) return sent
      const { error, isRetryable } = sent
      if (!isRetryable || number > retries) throw error
      const delayMs = delayOf(number, error, settings)
      if (delayMs === undefined) throw error
      settings.logger?.warn("request failed; retrying", {
        ...fields(call, number),
        status: error.status,
        delay_ms: delayMs
      })
      await new Attempt(settings, options?.signal).wait(delayMs)
    }
  }

  /** Waits before retry `number` of something that failed with `error`; throws it where the service asks for too long. */
  async waitBeforeRetry(number: number, error: TapedeckError, signal: AbortSignal): Promise<void> {
    const delayMs = delayOf(number, error, this.#settings)
    if (delayMs === undefined) throw error
    await new Attempt(this.#settings, signal).wait(delayMs)
  }

  /** The path of a `Location`, below the service's address as the paths of calls are; throws for none, and for one elsewhere. */
  pathOf(location: string | null): string {
    const { baseUrl } = this.#settings
    const { href, origin, pathname } = new URL(location ?? "none:", baseUrl)
    if (new URL(baseUrl).origin !== origin)
      throw new TapedeckError("The service answered without a Location of its own")
    // A gateway in front may not have told the service of its path.
    return href.startsWith(`${baseUrl}/`) ? href.slice(baseUrl.length) : pathname
  }

  #headers(call: Call, settings: Resolved, options: Options, key: string | undefined): Record<string, string> {
    const headers: Record<string, string> = { accept: "application/json", ...settings.headers }
    if (settings.token !== null && !call.isPublic) headers.authorization ??= `Bearer ${settings.token}`
    if (settings.userAgent !== undefined) headers["user-agent"] ??= settings.userAgent
    if (key !== undefined) headers["idempotency-key"] ??= key
    const type = options?.contentType ?? (call.body === undefined || isRaw(call.body) ? undefined : "application/json")
    if (type !== undefined) headers["content-type"] ??= type
    return headers
  }

  async #attempt<Data>(
    request: OutgoingRequest,
    settings: Resolved,
    signal: AbortSignal | undefined,
    read: Read<Data>
  ): Promise<Sent<Data> | { readonly error: TapedeckError; readonly isRetryable: boolean }> {
    const attempt = new Attempt(settings, signal, request)
    const startedAt = settings.clock.now()
    try {
      if (settings.onRequest !== undefined) await settings.onRequest(request)
      const response = await attempt.run(() =>
        settings.fetch(request.url, {
          method: request.method,
          headers: request.headers,
          ...(request.body !== undefined && { body: request.body as RequestInit["body"] & {} }),
          // A stream as a body asks for it, and nothing else minds.
          ...(request.body instanceof ReadableStream && { duplex: "half" }),
          ...(!isRedirectable(request.method) && { redirect: "manual" }),
          signal: attempt.signal
        })
      )
      if (settings.onResponse !== undefined) await settings.onResponse(response, request)
      settings.logger?.debug("response received", {
        ...fields({ method: request.method, path: new URL(request.url, "http://localhost").pathname }, request.attempt),
        status: response.status,
        duration_ms: settings.clock.now() - startedAt,
        request_id: response.headers.get("x-request-id")
      })
      if (response.ok) {
        return { data: await attempt.run(() => read(response, attempt)), response }
      }
      const body = await attempt.run(() => attempt.text(response))
      const { headers, status } = response
      const redirect = redirectMessageOf(request, status, headers.get("location"))
      if (redirect !== undefined)
        throw new TapedeckError(hide(redirect, settings.token), { status: status || undefined, headers })
      const receivedAt = settings.clock.now()
      const error = errorOf(status, headers, parsed(hide(body, settings.token)), receivedAt)
      return { error, isRetryable: isRetryableStatus(status) }
    } catch (error) {
      if (error instanceof ConnectionError) return { error, isRetryable: true }
      throw error
    } finally {
      attempt.close()
    }
  }
}

const delayOf = (number: number, { headers }: TapedeckError, { clock, random }: Resolved) =>
  retryDelayMs(number, { retryAfter: headers?.get("retry-after"), nowMs: clock.now(), random: random() })

const fields = ({ method, path }: { readonly method: string; readonly path: string }, attempt: number) => ({
  method,
  path,
  attempt
})

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text.slice(0, 1000)
  }
}
