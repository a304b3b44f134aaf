import { retryAfterMs } from "./retries.ts"

/** The response that an error is about. It is absent if the connection broke. */
export interface ErrorDetails {
  readonly status?: number | undefined
  readonly headers?: Headers | undefined
  /** The parsed JSON body, or the text. */
  readonly body?: unknown
  readonly cause?: unknown
  /** When the response came, in milliseconds since 1970. */
  readonly receivedAt?: number | undefined
}

/** Base class of everything that a request is rejected with, but for the reason of an `AbortSignal`. */
export class TapedeckError extends Error {
  /** HTTP status; undefined without a response. */
  readonly status: number | undefined
  /** `X-Request-Id`: the service's log has the request under it. */
  readonly requestId: string | undefined
  readonly headers: Headers | undefined
  readonly body: unknown

  constructor(message: string, { body, cause, headers, status }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.headers = headers
    this.requestId = headers?.get("x-request-id") ?? undefined
    this.body = body
  }
}

const named = (name: string, Class: { readonly prototype: TapedeckError }) => {
  Class.prototype.name = name
}

/** 400: a query parameter or the form of the body is wrong; the message names it. */
export class BadRequestError extends TapedeckError {}
/** 401: the token is missing, revoked, or its user is deactivated. */
export class UnauthorizedError extends TapedeckError {}
/** 403: the account has no API access, or the user may not do this. */
export class ForbiddenError extends TapedeckError {}
/** 404: it does not exist, or the caller may not see it. */
export class NotFoundError extends TapedeckError {}
/** 409: the state does not allow it, such as a download before there is a video. */
export class ConflictError extends TapedeckError {}
/** 422: values are not allowed; the message names every field. */
export class UnprocessableEntityError extends TapedeckError {}
/** 429: too many requests. */
export class TooManyRequestsError extends TapedeckError {
  /** Seconds until another request may be made; undefined where the response does not say. */
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details)
    const ms = retryAfterMs(details.headers?.get("retry-after"), details.receivedAt ?? Date.now())
    this.retryAfterSeconds = ms === undefined ? undefined : Math.ceil(ms / 1000)
  }
}
/** 500 and above: the service failed. */
export class InternalServerError extends TapedeckError {}
/** There was no response, or an incomplete one. The message has the URL and the reason; `cause` is the error of `fetch`. */
export class ConnectionError extends TapedeckError {}
/** No response headers, or no further piece of the body, within `timeoutMs`. */
export class TimeoutError extends TapedeckError {}

const byStatus: Readonly<Record<number, typeof TapedeckError>> = {
  400: BadRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableEntityError,
  429: TooManyRequestsError
}

// Names survive minification, which renames classes.
named("TapedeckError", TapedeckError)
named("BadRequestError", BadRequestError)
named("UnauthorizedError", UnauthorizedError)
named("ForbiddenError", ForbiddenError)
named("NotFoundError", NotFoundError)
named("ConflictError", ConflictError)
named("UnprocessableEntityError", UnprocessableEntityError)
named("TooManyRequestsError", TooManyRequestsError)
named("InternalServerError", InternalServerError)
named("ConnectionError", ConnectionError)
named("TimeoutError", TimeoutError)

/** The message in a body of v2 (`{error}`) or v1 (`{error: {message}}`). */
export const messageIn = (body: unknown): string | undefined => {
  const error = (body as { readonly error?: unknown } | null)?.error
  if (typeof error === "string") return error
  const message = (error as { readonly message?: unknown } | null | undefined)?.message
  return typeof message === "string" ? message : undefined
}

/**
 * The message of a redirect that is not followed; undefined for another response. `fetch` repeats a POST that is redirected as a
 * GET, whose response is not that of the POST. A browser does not say where it leads.
 */
export const redirectMessageOf = (
  { method, url }: { readonly method: string; readonly url: string },
  status: number,
  location: string | null | undefined
): string | undefined => {
  if (isRedirectable(method) || !(status === 0 || (status >= 300 && status < 400))) return undefined
  const target = location ? ` to ${location}` : ""
  return `The service redirects ${method} ${url.split("?")[0]}${target}, which is not followed: is baseUrl its final address?`
}

/** Whether the response of the address that a redirect names is the response of the request. */
export const isRedirectable = (method: string): boolean => method === "GET" || method === "HEAD"

/** Message of an error whose response has none. */
export const messageOf = (status: number): string => `The service answered ${status}`

/** The error of a response that is not 2xx. */
export const errorOf = (status: number, headers: Headers, body: unknown, receivedAt: number): TapedeckError => {
  const Class = byStatus[status] ?? (status >= 500 ? InternalServerError : TapedeckError)
  return new Class(messageIn(body) ?? messageOf(status), { status, headers, body, receivedAt })
}
