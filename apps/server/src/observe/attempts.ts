import { declareCounter, declareGauge, declareHistogram } from "@tapedeck/core"
import { type Dispatcher, Guard, type PerformedAttempt, Sender } from "@tapedeck/dispatcher"
import { type Claim, type DeliveryQueue, deliveryStateName } from "@tapedeck/domain/delivery"
import { AttemptOutcome, deliveryKind, deliveryKinds } from "@tapedeck/domain/internal/delivery"
import { Effect, Metric, Option } from "effect"
import { Headers } from "effect/http"
import { w3c } from "effect/http/HttpTraceContext"
import { hasMetrics, isExported, type MetricsConfig } from "../config/Config.ts"

/** The name of an attempt's span, before the delivery's kind. */
export const attemptSpan = "deliver"

/** Boundaries of the durations, in seconds, up to the maximum time of an attempt. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

const endedAttempts = declareCounter(
  "tapedeck_delivery_attempts_total",
  "Ended attempts, without send-tests, by the kind of the receiver. An attempt is `lost` if its worker died",
  { kind: deliveryKinds, outcome: AttemptOutcome.literals }
)

const durations = declareHistogram(
  "tapedeck_delivery_attempt_duration_seconds",
  "Duration of attempts, without send-tests",
  { kind: deliveryKinds },
  boundaries
)

const deliveriesInFlight = declareGauge("tapedeck_deliveries_in_flight", "Attempts in flight in this process", {})

export const attemptMetrics = [endedAttempts, durations, deliveriesInFlight]

const idsOf = (claim: Claim) => {
  const { accountId, automationId, destinationId, id } = claim.delivery
  return {
    delivery_id: id,
    account_id: accountId,
    kind: deliveryKind(claim.delivery),
    ...(automationId === null ? { destination_id: destinationId } : { automation_id: automationId })
  }
}

/** The span that enqueued the delivery, perhaps in another process; undefined where it was not traced. */
const causeOf = ({ delivery }: Claim) =>
  delivery.trace === undefined
    ? undefined
    : Option.getOrUndefined(w3c(Headers.fromRecordUnsafe({ traceparent: delivery.trace })))

/** The host of a receiver's URL. The rest of the URL may contain a secret. */
const hostOf = (url: string | undefined): string | undefined =>
  url === undefined || !URL.canParse(url) ? undefined : new URL(url).host

/** The result of the attempt; undefined if it has not ended or was cancelled. */
const endOf = (performed: PerformedAttempt | null) => {
  if (performed === null || performed.outcome === null) return undefined
  const ended = performed.delivery.attempts.at(-1)
  return ended === undefined
    ? undefined
    : {
        attempt: performed.attempt,
        outcome: ended.outcome,
        status: ended.statusCode,
        durationMs: ended.endedAt - ended.at,
        host: hostOf(ended.request?.url),
        reason: ended.error ?? undefined
      }
}

/** The dispatcher with a log line for each attempt and, if configured, metrics and spans. */
export const watchAttempts = ({ perform, queue }: Dispatcher, config: MetricsConfig): Dispatcher => {
  const counted = (claim: Claim, attempt: Effect.Effect<PerformedAttempt | null>) =>
    Effect.gen(function* () {
      const inFlight = deliveriesInFlight.of({})
      yield* Metric.modify(inFlight, 1)
      const performed = yield* Effect.ensuring(attempt, Metric.modify(inFlight, -1))
      const end = endOf(performed)
      if (end === undefined) return performed
      const kind = deliveryKind(claim.delivery)
      yield* Metric.update(endedAttempts.of({ kind, outcome: end.outcome }), 1)
      yield* Metric.update(durations.of({ kind }), end.durationMs / 1000)
      return performed
    })

  const logged = (claim: Claim, performed: PerformedAttempt | null) => {
    const end = endOf(performed)
    if (performed === null || end === undefined) return Effect.void
    const { durationMs, ...rest } = end
    return Effect.logInfo("attempt", {
      ...idsOf(claim),
      ...rest,
      duration_ms: durationMs,
      state: deliveryStateName(performed.delivery.state)
    })
  }

  const traced = (claim: Claim, attempt: Effect.Effect<PerformedAttempt | null>) =>
    attempt.pipe(
      Effect.tap((performed) => {
        const end = endOf(performed)
        if (end === undefined) return Effect.void
        const { host, reason, ...rest } = end
        return Effect.annotateCurrentSpan({ ...rest, "server.address": host?.replace(/:\d+$/, ""), reason })
      }),
      Effect.withSpan(`${attemptSpan} ${deliveryKind(claim.delivery)}`, {
        kind: "client",
        parent: causeOf(claim),
        attributes: idsOf(claim)
      })
    )

  return {
    queue,
    perform: (claim, slot) => {
      const withLog = Effect.tap(perform(claim, slot), (performed) => logged(claim, performed))
      const timed = hasMetrics(config) ? counted(claim, withLog) : withLog
      return isExported(config, "traces") ? traced(claim, timed) : timed
    }
  }
}

/** Makes a dispatcher whose attempts have spans of their stages: `guard`, the request by its method, and `settle`. */
export const traceStages = Effect.fnUntraced(function* <A, E, R>(
  queue: DeliveryQueue,
  make: (queue: DeliveryQueue) => Effect.Effect<A, E, R>
) {
  const guard = yield* Guard
  const sender = yield* Sender
  const settle: DeliveryQueue["settle"] = (claim, after) => Effect.withSpan(queue.settle(claim, after), "settle")
  const send: Sender["Service"]["send"] = (request, options) =>
    sender.send(request, options).pipe(
      Effect.tap(({ outcome, statusCode }) =>
        Effect.annotateCurrentSpan({
          ...(statusCode !== null && { "http.response.status_code": statusCode }),
          ...(statusCode === null && { "error.type": outcome })
        })
      ),
      // The span omits the URL, whose query may contain a secret.
      Effect.withSpan(request.method, { kind: "client", attributes: { "http.request.method": request.method } })
    )
  return yield* make({ ...queue, settle }).pipe(
    Effect.provideService(Guard, { check: (url) => Effect.withSpan(guard.check(url), "guard") }),
    Effect.provideService(Sender, { send })
  )
})
