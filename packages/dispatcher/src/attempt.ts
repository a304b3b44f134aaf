import type { Attempt, DeliveryEvent, HeaderList, Instant, Receiver } from "@tapedeck/domain"
import { type AnyDelivery, type AttemptResult, type Claim, decideDelivery } from "@tapedeck/domain/delivery"
import { eventOfOutcome } from "@tapedeck/domain/internal/delivery"
import { Cause, Effect, Result } from "effect"
import { Guard } from "./Guard.ts"
import { type Answer, notSent, Sender, type WebhookRequest } from "./Sender.ts"
import { signatureHeaders } from "./sign.ts"

type Attempting = Extract<AnyDelivery["state"], { readonly _tag: "Attempting" }>

/** Returns the state of a delivery in flight. */
export const attempting = (delivery: AnyDelivery): Attempting => {
  if (delivery.state._tag !== "Attempting")
    throw new Error(`delivery ${delivery.id} in flight is ${delivery.state._tag}`)
  return delivery.state
}

/** Returns the fields of an attempt for logs. */
export const attemptFields = ({ delivery }: Claim<AnyDelivery>) => ({
  delivery_id: delivery.id,
  attempt: attempting(delivery).attempt
})

/** Returns whether the delivery is sent: its receiver exists, and is enabled unless the delivery is a send-test. */
export const isSent = ({ test }: AnyDelivery, receiver: Receiver | null): receiver is Receiver =>
  receiver !== null && (receiver.enabled || test === true)

/** An attempt that ended by itself. `endsAt` is its end, if that is in the future (in virtual time). */
export interface Sent {
  readonly _tag: "Sent"
  readonly result: AttemptResult
  readonly endsAt: Instant | undefined
}

/** An attempt that was interrupted. The result is null if nothing was sent. */
export interface CutOff {
  readonly _tag: "CutOff"
  readonly result: AttemptResult | null
}

/** Options of the sender of requests. */
export interface SenderOptions {
  /** Name of the vendor, for the headers `X-<Vendor>-Signature` and `User-Agent: <vendor>/<version>`. */
  readonly vendor: string
  readonly version: string
  /** True if each request has the headers of Standard Webhooks. */
  readonly standardWebhooks: boolean
}

/**
 * Creates a function that makes attempts: it signs, checks the guard, and sends. Sending can be interrupted, even in an uninterruptible
 * region, which continues with `CutOff` then.
 */
export const makeAttemptSender = Effect.fnUntraced(function* (options: SenderOptions) {
  const sender = yield* Sender
  const guard = yield* Guard
  const check = ({ url, urlProblem }: Receiver) =>
    urlProblem === undefined ? guard.check(url) : Effect.succeed(urlProblem)
  return (delivery: AnyDelivery, receiver: Receiver): Effect.Effect<Sent | CutOff> => {
    const request = signed(delivery, receiver, options)
    const { headers, method, url } = request
    const resultOf = ({ error, outcome, response, statusCode }: Answer): AttemptResult => ({
      outcome,
      statusCode,
      request: { method, url, headers },
      response,
      error
    })
    /** Answer in case of an interruption now; null if nothing was sent. */
    let known: Answer | null = null
    const onSent = () => {
      known = stopped
    }
    const onAnswered = (answer: Answer) => {
      known = answer
    }
    const { startedAt } = attempting(delivery)
    const { timeoutMs } = receiver
    const answered = Effect.flatMapEager(check(receiver), (blocked) =>
      blocked === null
        ? sender.send(request, { startedAt, timeoutMs, onSent, onAnswered })
        : Effect.succeed(notSent(blocked))
    )
    return Effect.matchCauseEffectEager(Effect.interruptible(answered), {
      onSuccess: (answer) => Effect.succeed<Sent>({ _tag: "Sent", result: resultOf(answer), endsAt: answer.endsAt }),
      onFailure: (cause) =>
        Cause.hasInterrupts(cause)
          ? Effect.succeed<CutOff>({ _tag: "CutOff", result: known === null ? null : resultOf(known) })
          : Effect.failCause(cause)
    })
  }
})

/** An attempt that was interrupted after its request was sent. */
const stopped: Answer = {
  outcome: "reset",
  statusCode: null,
  response: null,
  error: "the server stopped before the response was complete"
}

/** Returns the headers of the previous attempt if they are equal, so that many attempts have them in memory once. */
const sharing = (headers: HeaderList, { attempts }: AnyDelivery): HeaderList => {
  const before = attempts.at(-1)?.request?.headers
  if (before === undefined) return headers
  return headers.map((header, index) => {
    const same = before[index]
    return same !== undefined && same[0] === header[0] && same[1] === header[1] ? same : header
  })
}

/** Returns the headers that custom headers can override. */
const ownHeaders = ({ vendor, version }: SenderOptions): HeaderList => [
  ["content-type", "application/json"],
  ["user-agent", `${vendor}/${version}`],
  ["accept", "*/*"]
]

const signed = (delivery: AnyDelivery, receiver: Receiver, options: SenderOptions): WebhookRequest => {
  const body = Buffer.from(delivery.body, "utf8")
  const custom = Object.entries(receiver.headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const own = ownHeaders(options).filter(([name]) => !custom.some(([one]) => one === name))
  const signature = signatureHeaders({
    deliveryId: delivery.id,
    startedAt: attempting(delivery).startedAt,
    body,
    receiver,
    vendor: options.vendor,
    standardWebhooks: options.standardWebhooks
  })
  return {
    method: receiver.method,
    url: receiver.url,
    headers: sharing([...own, ...custom, ...signature], delivery),
    body,
    text: delivery.body
  }
}

const stateAfter = (delivery: AnyDelivery, event: DeliveryEvent): AnyDelivery["state"] =>
  Result.getOrThrow(decideDelivery(delivery.state, event, delivery.schedule))

export const moved = <D extends AnyDelivery>(delivery: D, event: DeliveryEvent): D => ({
  ...delivery,
  state: stateAfter(delivery, event)
})

/** The result of an attempt whose worker died or lost its lease. */
export const lost: AttemptResult = {
  outcome: "lost",
  statusCode: null,
  request: null,
  response: null,
  error: "the worker died or lost its lease before it recorded the outcome"
}

export const afterAttempt = <D extends AnyDelivery>(delivery: D, result: AttemptResult, at: Instant): D => ({
  ...delivery,
  state: stateAfter(delivery, eventOfOutcome(result.outcome, at)),
  attempts: [...delivery.attempts, logged(delivery, result, at)]
})

const logged = (
  delivery: AnyDelivery,
  { error, outcome, request, response, statusCode }: AttemptResult,
  endedAt: Instant
): Attempt => {
  const { attempt, firstAttemptAt, startedAt } = attempting(delivery)
  return {
    attempt,
    at: startedAt,
    elapsedMs: startedAt - firstAttemptAt,
    // The clock may have been set back, or be another machine's than at the start.
    endedAt: Math.max(startedAt, endedAt) as Instant,
    outcome,
    statusCode,
    request,
    response,
    error
  }
}
