import { declareCounter } from "@tapedeck/core"
import { Cause, Effect, Fiber, Metric, Queue, Schedule, Stream } from "effect"
import {
  FetchHttpClient,
  type HttpBody,
  HttpClient,
  HttpClientError,
  type HttpClientRequest,
  HttpClientResponse
} from "effect/http"
import { type OtlpSignal, otlpSignals } from "../../config/observability.ts"

/** Limits of the requests of one signal to the collector. */
export const limits = {
  /** Maximum size of the requests that wait or are being sent. */
  waitingBytes: 4 * 1024 * 1024,
  /** Maximum number of spans or log lines of a request. */
  batch: 512,
  /** Maximum time of a request, and number of its repetitions, with delays of 1, 2, 4 and 8 s. */
  timeoutMs: 10_000,
  repetitions: 4,
  /** Maximum size that is read of a response. */
  responseBytes: 64 * 1024,
  /** Maximum time for the last requests when the server stops. */
  stopMs: 1_000
}

const items = declareCounter(
  "tapedeck_otlp_items_total",
  "Spans, series and log lines for the collector: accepted by it (`sent`), refused by it or not sent after 5 attempts (`failed`), or not sent because 4 MiB were waiting (`dropped`)",
  { signal: otlpSignals, outcome: ["sent", "failed", "dropped"] }
)

export const otlpMetrics = [items]

/** The number of spans, series or log lines in each body of a request. */
export type ItemCounts = WeakMap<HttpBody.HttpBody, number>

const drain = ({ stream }: HttpClientResponse.HttpClientResponse) =>
  stream.pipe(
    Stream.mapAccum(
      () => 0,
      (readBytes, { length }) => [readBytes + length, [readBytes + length]] as const
    ),
    Stream.takeWhile((readBytes) => readBytes < limits.responseBytes),
    Stream.runDrain
  )

/** The reason of a failure. It contains no address, because that may contain a password. */
const reasonOf = (error: unknown): string => {
  if (Cause.isTimeoutError(error)) return `no response within ${limits.timeoutMs / 1_000} s`
  if (!HttpClientError.isHttpClientError(error)) return String(error)
  if (error.response !== undefined) return `status ${error.response.status}`
  const { cause } = error.reason as { readonly cause?: { readonly cause?: unknown; readonly message?: string } }
  const inner = cause?.cause as { readonly code?: string } | undefined
  return inner?.code ?? cause?.message ?? error.message
}

/**
 * An HTTP client that answers each request at once, and sends it later: one at a time, each several times if need be. The exporters
 * have no limit of what waits for a slow collector; this client drops what exceeds its limit, and counts it. The last requests are sent
 * when the scope closes, for a limited time.
 */
export const makeTransport = Effect.fnUntraced(function* (signal: OtlpSignal, counts: ItemCounts) {
  const client = (yield* HttpClient.HttpClient).pipe(
    HttpClient.filterStatusOk,
    HttpClient.transformResponse((response) =>
      Effect.tap(response, drain).pipe(
        Effect.timeout(limits.timeoutMs),
        // A redirect would send the headers of the collector to another host.
        Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })
      )
    ),
    HttpClient.retryTransient({ times: limits.repetitions, schedule: Schedule.exponential("1 second") })
  )
  const waiting = yield* Queue.unbounded<HttpClientRequest.HttpClientRequest, Cause.Done>()
  let waitingBytes = 0
  let isFailing = false

  const count = (outcome: "sent" | "failed" | "dropped", { body }: HttpClientRequest.HttpClientRequest) =>
    Metric.update(items.of({ signal, outcome }), counts.get(body) ?? 0)
  const sizeOf = ({ body }: HttpClientRequest.HttpClientRequest) =>
    "contentLength" in body ? (body.contentLength ?? 0) : 0

  const send = (request: HttpClientRequest.HttpClientRequest) =>
    Effect.matchCauseEffect(client.execute(request), {
      onSuccess: () => {
        const wasFailing = isFailing
        isFailing = false
        const line = wasFailing ? Effect.logInfo("collector accepts data again", { signal }) : Effect.void
        return Effect.andThen(count("sent", request), line)
      },
      onFailure: (cause) => {
        const isFirst = !isFailing
        isFailing = true
        const line = isFirst
          ? Effect.logWarning("collector did not accept data", { signal, reason: reasonOf(Cause.squash(cause)) })
          : Effect.void
        return Effect.andThen(count("failed", request), line)
      }
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          waitingBytes -= sizeOf(request)
        })
      )
    )

  const sending = yield* Queue.take(waiting).pipe(
    Effect.flatMap(send),
    Effect.forever,
    Effect.withTracerEnabled(false),
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() =>
    Effect.andThen(Queue.end(waiting), Fiber.await(sending)).pipe(
      Effect.interruptible,
      Effect.timeoutOption(limits.stopMs)
    )
  )
  return HttpClient.make((request) => {
    const sizeBytes = sizeOf(request)
    const accepted = Effect.succeed(HttpClientResponse.fromWeb(request, new Response()))
    if (waitingBytes + sizeBytes > limits.waitingBytes) return Effect.andThen(count("dropped", request), accepted)
    waitingBytes += sizeBytes
    Queue.offerUnsafe(waiting, request)
    return accepted
  })
})
