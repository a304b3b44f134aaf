import { Cause, Clock, Context, Effect, Option, Random, Result, type Schema, Stream } from "effect"
import {
  FetchHttpClient,
  type HttpBody,
  HttpClient,
  HttpClientError,
  HttpClientRequest,
  HttpClientResponse
} from "effect/http"
import { isRedirectable, messageIn, messageOf, redirectMessageOf } from "../errors.ts"
import { isRepeatable, isRetryableStatus, retryAfterMs, retryDelayMs } from "../retries.ts"
import { hide, type Resolved } from "../settings.ts"

/** A request got no response, or an incomplete one, or received nothing for `timeoutMs`. */
export type SendError = HttpClientError.HttpClientError | Cause.TimeoutError

/** Errors of any call, besides the service's refusals. `SchemaError`: the response does not match the contract. */
export type CallError = SendError | Schema.SchemaError

type Settings = Pick<Resolved, "headers" | "maxRetries" | "timeoutMs" | "token" | "userAgent">

/** The largest JSON or error body that is read, as of the other client. */
const maxBodyBytes = 64 * 1024 * 1024

/** Bytes or text that are sent unchanged in place of the payload, with their media type. */
export const RawBody = Context.Reference<HttpBody.HttpBody | undefined>("@tapedeck/client/effect/RawBody", {
  defaultValue: () => undefined
})

/** The bytes as they come; fails where none come for `timeoutMs`. */
export const streamOf = (
  response: HttpClientResponse.HttpClientResponse,
  timeoutMs: number
): Stream.Stream<Uint8Array, SendError> =>
  response.stream.pipe(
    Stream.catchIf(
      ({ reason }) => reason._tag === "EmptyBodyError",
      () => Stream.empty
    ),
    Stream.timeoutOrElse({
      duration: timeoutMs,
      orElse: () => Stream.fail(new Cause.TimeoutError(`Nothing came from the service for ${timeoutMs} ms`))
    })
  )

const tooLarge = (response: HttpClientResponse.HttpClientResponse) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.DecodeError({
      request: response.request,
      response,
      description: "The response is larger than 64 MiB"
    })
  })

/** The request, which `fetch` is not to repeat as a GET at another address. */
const withoutRedirects = <R>(
  effect: Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError, R>,
  { method }: HttpClientRequest.HttpClientRequest
) =>
  isRedirectable(method)
    ? effect
    : Effect.flatMap(Effect.serviceOption(FetchHttpClient.RequestInit), (init) =>
        Effect.provideService(effect, FetchHttpClient.RequestInit, {
          ...Option.getOrUndefined(init),
          redirect: "manual"
        })
      )

/** The response, unless it is a redirect that is not followed. */
const notRedirected = (response: HttpClientResponse.HttpClientResponse, token: string | null) => {
  const { headers, request, status } = response
  const description = redirectMessageOf(request, status, headers.location)
  return description === undefined
    ? Effect.succeed(response)
    : Effect.fail(
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.StatusCodeError({ request, response, description: hide(description, token) })
        })
      )
}

/** The body of a refusal in an API's shape. */
export type RefusalBody = (message: string, status: number) => object

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * A refusal as the contract says it, also of a proxy that answers without JSON: its message, and `Retry-After` in seconds, where
 * it says when.
 */
const refusal = Effect.fnUntraced(function* (
  { headers, status }: HttpClientResponse.HttpClientResponse,
  text: string,
  refusalBody: RefusalBody
) {
  const ms = retryAfterMs(headers["retry-after"], yield* Clock.currentTimeMillis)
  const body = JSON.stringify(refusalBody(messageIn(parsed(text)) ?? messageOf(status), status))
  const sent = new Headers({ ...headers, "content-type": "application/json" })
  sent.delete("retry-after")
  if (ms !== undefined) sent.set("retry-after", String(Math.ceil(ms / 1000)))
  return new Response(body, { status, headers: sent })
})

const isFile = ({ headers, status }: HttpClientResponse.HttpClientResponse) =>
  status < 300 && !(headers["content-type"] ?? "").startsWith("application/json")

/** The response with its body read, so that an incomplete one is retried; a file's body is left to be streamed. */
const whole = Effect.fnUntraced(function* (
  response: HttpClientResponse.HttpClientResponse,
  { timeoutMs, token }: Settings,
  refusalBody: RefusalBody
) {
  if (isFile(response) || response.status === 304) return response
  const chunks: Array<Uint8Array<ArrayBuffer>> = []
  let sizeBytes = 0
  yield* Stream.runForEach(streamOf(response, timeoutMs), (chunk) => {
    sizeBytes += chunk.length
    chunks.push(chunk as Uint8Array<ArrayBuffer>)
    return sizeBytes > maxBodyBytes ? Effect.fail(tooLarge(response)) : Effect.void
  })
  const { headers, status } = response
  const bytes = new Blob(chunks)
  const read =
    status < 400
      ? new Response(bytes, { status, headers: { ...headers } })
      : yield* refusal(response, hide(yield* Effect.promise(() => bytes.text()), token), refusalBody)
  return HttpClientResponse.fromWeb(response.request, read)
})

/** The connection failed, before or within the response. */
const isBroken = (error: SendError) =>
  error._tag === "HttpClientError" &&
  (error.reason._tag === "TransportError" || (error.reason._tag === "DecodeError" && error.reason.cause !== undefined))

const withRetries = Effect.fnUntraced(function* <R>(
  attempt: Effect.Effect<HttpClientResponse.HttpClientResponse, SendError, R>,
  request: HttpClientRequest.HttpClientRequest,
  maxRetries: number
) {
  const canRetry =
    request.body._tag !== "Stream" &&
    isRepeatable(request.method, request.method === "POST" && request.headers["idempotency-key"] !== undefined)
  for (let number = 1; ; number += 1) {
    const result = yield* Effect.result(attempt)
    const isRetryable = Result.isSuccess(result) ? isRetryableStatus(result.success.status) : isBroken(result.failure)
    if (!canRetry || !isRetryable || number > maxRetries) return yield* Effect.fromResult(result)
    const delayMs = retryDelayMs(number, {
      retryAfter: Result.isSuccess(result) ? result.success.headers["retry-after"] : undefined,
      nowMs: yield* Clock.currentTimeMillis,
      random: yield* Random.next
    })
    if (delayMs === undefined) return yield* Effect.fromResult(result)
    yield* Effect.sleep(delayMs)
  }
})

/** Sends requests as the other client does: the same headers, retries and time-outs. */
export const sender = (client: HttpClient.HttpClient, settings: Settings, refusalBody: RefusalBody) => {
  const { headers, maxRetries, timeoutMs, userAgent } = settings
  return client.pipe(
    HttpClient.mapRequestEffect((request) =>
      Effect.map(RawBody, (body) => {
        const own = { ...(userAgent !== undefined && { "user-agent": userAgent }), ...headers }
        const sent = HttpClientRequest.setHeaders(request, { ...own, ...request.headers })
        return body === undefined ? sent : HttpClientRequest.setBody(sent, body)
      })
    ),
    HttpClient.transform((effect, request) => {
      const sent = Effect.flatMap(withoutRedirects(effect, request), (response) =>
        notRedirected(response, settings.token)
      )
      const answered = Effect.timeoutOrElse(sent, {
        duration: timeoutMs,
        orElse: () => Effect.fail(new Cause.TimeoutError(`Nothing came from the service for ${timeoutMs} ms`))
      })
      const attempt = Effect.flatMap(answered, (response) => whole(response, settings, refusalBody))
      return withRetries(attempt, request, maxRetries)
    })
  )
}
