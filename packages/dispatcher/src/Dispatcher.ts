import { type AttemptResult, type Claim, now, ServiceConfig, Store } from "@tapedeck/core"
import {
  type Attempt,
  type AttemptOutcome,
  type Delivery,
  type DeliveryEvent,
  decideDelivery,
  eventOfOutcome,
  type HeaderList,
  type Instant,
  scheduleOf
} from "@tapedeck/domain"
import { Context, Effect, Layer, Result } from "effect"
import { Guard } from "./Guard.ts"
import { type Answer, Sender, type WebhookRequest } from "./Sender.ts"
import { signatureHeaders } from "./sign.ts"
import { type Target, targetOf } from "./target.ts"

/** One attempt as a driver sees it. `outcome` is null while its end is still to come. */
export interface PerformedAttempt {
  readonly delivery: Delivery
  readonly attempt: number
  readonly elapsedMs: number
  readonly outcome: AttemptOutcome | null
  readonly statusCode: number | null
}

/**
 * A claim lasts longer than the longest attempt, so that only a worker that is gone loses it. Attempts take up to 300 s
 * (an audit destination's longest timeout).
 */
export const leaseMs = 360_000

/** Takes deliveries through their attempts: target, sign, guard, send, judge, record. Rendering was core's. */
export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /** Makes the claimed attempt, or records the one whose end has come. Null when the claim was no longer ours, or called off. */
    readonly perform: (claim: Claim) => Effect.Effect<PerformedAttempt | null>
  }
>()("@tapedeck/dispatcher/Dispatcher") {
  static readonly layer = Layer.effect(
    Dispatcher,
    Effect.gen(function* () {
      const store = yield* Store
      const sender = yield* Sender
      const guard = yield* Guard
      const config = yield* ServiceConfig
      const services = yield* Effect.context<Store | ServiceConfig>()

      const send = Effect.fnUntraced(function* (claim: Claim, target: Target) {
        const request = signed(claim.delivery, target, config)
        const blocked = yield* guard.check(target.url)
        const answer: Answer =
          blocked === null
            ? yield* sender.send(request, { startedAt: startOf(claim.delivery), timeoutMs: target.timeoutMs })
            : { outcome: "blocked", statusCode: null, response: null, error: blocked }
        const { method, url, headers } = request
        const { endsAt, error, outcome, response, statusCode } = answer
        const sent = { method, url, headers, body: claim.delivery.body }
        const result: AttemptResult = { outcome, statusCode, request: sent, response, error }
        return { result, endsAt }
      })

      /** Writes what the delivery becomes, if the claim is still ours. It is read again: it may have been called off meanwhile (W11). */
      const settle = (claim: Claim, change: (delivery: Delivery, at: Instant) => Delivery) =>
        store.transaction(
          Effect.gen(function* () {
            const delivery = yield* store.deliveries.byId(claim.delivery.id)
            if (delivery === undefined || delivery.state._tag !== "Attempting") return null
            const after = change(delivery, yield* now)
            return (yield* store.deliveries.settle(claim, after)) ? after : null
          })
        )

      const record = (claim: Claim, result: AttemptResult | null) =>
        Effect.map(
          settle(claim, (delivery, at) => afterAttempt(delivery, result, at)),
          (after) => (after === null ? null : performed(claim, after, result))
        )

      const perform = Effect.fnUntraced(function* (claim: Claim) {
        if (claim.reason !== "due") return yield* record(claim, claim.result)
        const target = yield* Effect.provide(targetOf(claim.delivery), services)
        if (target === null) return yield* Effect.as(settle(claim, calledOff), null)
        const { endsAt, result } = yield* send(claim, target)
        if (endsAt !== undefined && endsAt > (yield* now)) {
          yield* store.deliveries.hold(claim, result, endsAt)
          return performed(claim, claim.delivery, null)
        }
        return yield* record(claim, result)
      })

      return Dispatcher.of({ perform })
    })
  )
}

type Attempting = Extract<Delivery["state"], { readonly _tag: "Attempting" }>

const attempting = (delivery: Delivery): Attempting => {
  if (delivery.state._tag !== "Attempting") throw new Error(`claimed delivery ${delivery.id} is ${delivery.state._tag}`)
  return delivery.state
}

const startOf = (delivery: Delivery) => attempting(delivery).startedAt

const signed = (delivery: Delivery, target: Target, config: ServiceConfig["Service"]): WebhookRequest => {
  const body = Buffer.from(delivery.body, "utf8")
  const custom = Object.entries(target.headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const contentType: HeaderList = custom.some(([name]) => name === "content-type")
    ? []
    : [["content-type", "application/json"]]
  const signature = signatureHeaders({
    deliveryId: delivery.id,
    startedAt: startOf(delivery),
    body,
    signature: target.signature,
    standardWebhooks: config.standardWebhooks
  })
  return { method: target.method, url: target.url, headers: [...contentType, ...custom, ...signature], body }
}

const moved = (delivery: Delivery, event: DeliveryEvent): Delivery => ({
  ...delivery,
  state: Result.getOrThrow(decideDelivery(delivery.state, event, scheduleOf(delivery)))
})

/** Without a result the worker that had the attempt never came back; what it sent, if anything, nobody knows. */
const afterAttempt = (delivery: Delivery, result: AttemptResult | null, at: Instant): Delivery =>
  result === null
    ? moved(delivery, { _tag: "AttemptLost", at })
    : {
        ...moved(delivery, eventOfOutcome(result.outcome, at)),
        attempts: [...delivery.attempts, logged(delivery, result, at)]
      }

/** There is nobody to send to any more: the attempt ends unsent, and the delivery with it (W11). */
const calledOff = (delivery: Delivery, at: Instant): Delivery =>
  moved(moved(delivery, { _tag: "CancelRequested", at }), { _tag: "AttemptLost", at })

const logged = (
  delivery: Delivery,
  { error, outcome, request, response, statusCode }: AttemptResult,
  endedAt: Attempt["endedAt"]
): Attempt => {
  const { attempt, firstAttemptAt, startedAt } = attempting(delivery)
  return {
    attempt,
    at: startedAt,
    elapsedMs: startedAt - firstAttemptAt,
    endedAt,
    outcome,
    statusCode,
    request,
    response,
    error
  }
}

const performed = (claim: Claim, delivery: Delivery, result: AttemptResult | null): PerformedAttempt => {
  const { attempt, firstAttemptAt, startedAt } = attempting(claim.delivery)
  return {
    delivery,
    attempt,
    elapsedMs: startedAt - firstAttemptAt,
    outcome: result?.outcome ?? null,
    statusCode: result?.statusCode ?? null
  }
}
