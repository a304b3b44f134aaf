import { type AttemptResult, ServiceConfig } from "@tapedeck/core"
import {
  type Attempt,
  type Delivery,
  type DeliveryEvent,
  decideDelivery,
  eventOfOutcome,
  type HeaderList,
  type Instant,
  scheduleOf
} from "@tapedeck/domain"
import { Effect, Result } from "effect"
import { Guard } from "./Guard.ts"
import { type Answer, Sender, type WebhookRequest } from "./Sender.ts"
import { signatureHeaders } from "./sign.ts"
import { attempting, type Target } from "./target.ts"

/** What came of an attempt. `endsAt` is when it ends, if that is known before it comes (virtual time); else it has ended. */
export interface SentAttempt {
  readonly result: AttemptResult
  readonly endsAt: Instant | undefined
}

/** What is to be done once an attempt has ended. */
export interface AttemptEnds<A> {
  readonly sent: (attempt: SentAttempt) => Effect.Effect<A>
  /** It was interrupted: null where nothing was sent, else what is to be recorded of it. */
  readonly cutOff: (result: AttemptResult | null) => Effect.Effect<unknown>
}

/** How attempts are made here: signed, past the guard, on the wire. Sending can be interrupted, wherever this is called. */
export const attemptSender = Effect.gen(function* () {
  const sender = yield* Sender
  const guard = yield* Guard
  const config = yield* ServiceConfig
  return <A>(delivery: Delivery, target: Target, { cutOff, sent }: AttemptEnds<A>): Effect.Effect<A> => {
    const request = signed(delivery, target, config)
    const { headers, method, url } = request
    const resultOf = ({ error, outcome, response, statusCode }: Answer): AttemptResult => ({
      outcome,
      statusCode,
      request: { method, url, headers },
      response,
      error
    })
    /** What would be recorded now; nothing of what was not sent. */
    let known: Answer | null = null
    const onSent = () => {
      known = stopped
    }
    const onAnswered = (answer: Answer) => {
      known = answer
    }
    const { startedAt } = attempting(delivery)
    const { timeoutMs } = target
    const answered = Effect.flatMapEager(guard.check(target.url), (blocked) =>
      blocked === null
        ? sender.send(request, { startedAt, timeoutMs, onSent, onAnswered })
        : Effect.succeed(notSent(blocked))
    ).pipe(
      Effect.interruptible,
      Effect.onInterrupt(() => cutOff(known === null ? null : resultOf(known)))
    )
    return Effect.flatMap(answered, (answer) => sent({ result: resultOf(answer), endsAt: answer.endsAt }))
  }
})

const notSent = (blocked: string): Answer => ({ outcome: "blocked", statusCode: null, response: null, error: blocked })

/** An attempt that was given up with the request on its way. */
const stopped: Answer = {
  outcome: "reset",
  statusCode: null,
  response: null,
  error: "the server stopped before the response was complete"
}

/** Most headers of an attempt are those of the one before it: a log of many attempts holds them once. */
const sharing = (headers: HeaderList, { attempts }: Delivery): HeaderList => {
  const before = attempts.at(-1)?.request?.headers
  if (before === undefined) return headers
  return headers.map((header, index) => {
    const same = before[index]
    return same !== undefined && same[0] === header[0] && same[1] === header[1] ? same : header
  })
}

/** What a delivery carries unless custom headers say otherwise (W10, W14). */
const ownHeaders = ({ vendor, version }: ServiceConfig["Service"]): HeaderList => [
  ["content-type", "application/json"],
  ["user-agent", `${vendor}/${version}`],
  ["accept", "*/*"]
]

const signed = (delivery: Delivery, target: Target, config: ServiceConfig["Service"]): WebhookRequest => {
  const body = Buffer.from(delivery.body, "utf8")
  const custom = Object.entries(target.headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const own = ownHeaders(config).filter(([name]) => !custom.some(([one]) => one === name))
  const signature = signatureHeaders({
    deliveryId: delivery.id,
    startedAt: attempting(delivery).startedAt,
    body,
    signature: target.signature,
    standardWebhooks: config.standardWebhooks
  })
  return {
    method: target.method,
    url: target.url,
    headers: sharing([...own, ...custom, ...signature], delivery),
    body,
    text: delivery.body
  }
}

const stateAfter = (delivery: Delivery, event: DeliveryEvent): Delivery["state"] =>
  Result.getOrThrow(decideDelivery(delivery.state, event, scheduleOf(delivery)))

export const moved = (delivery: Delivery, event: DeliveryEvent): Delivery => ({
  ...delivery,
  state: stateAfter(delivery, event)
})

/** The attempt's line in the log where its worker died or lost its lease (W15). */
export const lost: AttemptResult = {
  outcome: "lost",
  statusCode: null,
  request: null,
  response: null,
  error: "the worker died or lost its lease before it recorded the outcome"
}

export const afterAttempt = (delivery: Delivery, result: AttemptResult, at: Instant): Delivery => ({
  ...delivery,
  state: stateAfter(delivery, eventOfOutcome(result.outcome, at)),
  attempts: [...delivery.attempts, logged(delivery, result, at)]
})

const logged = (
  delivery: Delivery,
  { error, outcome, request, response, statusCode }: AttemptResult,
  endedAt: Instant
): Attempt => {
  const { attempt, firstAttemptAt, startedAt } = attempting(delivery)
  return {
    attempt,
    at: startedAt,
    elapsedMs: startedAt - firstAttemptAt,
    // The clock may have been put back meanwhile, or be another's than the one it began by.
    endedAt: Math.max(startedAt, endedAt) as Instant,
    outcome,
    statusCode,
    request,
    response,
    error
  }
}
