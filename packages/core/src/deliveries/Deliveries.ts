import { type Delivery, DeliveryId, type Instant } from "@tapedeck/domain"
import { decideDelivery } from "@tapedeck/domain/delivery"
import { utf8Length } from "@tapedeck/domain/internal/text"
import { MAX_BODY_BYTES } from "@tapedeck/domain/template"
import { Context, Effect, Layer, Result } from "effect"
import type { Unauthenticated } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { makeNotices } from "../mail/Notices.ts"
import { now } from "../now.ts"
import type { Caller } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { deliveryChange } from "../store/changes/changes.ts"
import { type CancelProgress, storeOf, type WebhookReceiver } from "../store/Store.ts"
import { ExportsSpans, traceContext } from "../tracing.ts"

/** A delivery to be created. Its body is rendered once, when the event happens (W11). */
export interface NewDelivery
  extends Pick<Delivery, "accountId" | "event">,
    Partial<
      Pick<
        Delivery,
        | "automationId"
        | "destinationId"
        | "recordingUuid"
        | "auditEntryId"
        | "test"
        | "redeliveryOf"
        | "schedule"
        | "skipped"
        | "urlValues"
      >
    > {
  /** Null if it would be larger than `MAX_BODY_BYTES`. */
  readonly body: string | null
  /** True if the event's values give no valid URL. */
  readonly isUrlInvalid?: boolean
}

/** Number of deliveries that are cancelled in one batch, so that other transactions run between batches of some milliseconds. */
const cancelBatch = 1_000

const firstState = (at: Instant, hasFailed: boolean, isSkipped: boolean): Delivery["state"] => {
  if (isSkipped) return { _tag: "Skipped", at }
  return hasFailed ? { _tag: "PermanentlyFailed", at } : { _tag: "Scheduled", dueAt: at }
}

/** Schedules and cancels deliveries. The dispatcher makes the attempts. */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /**
     * Returns a delivery that is due at this instant, without scheduling it, to be sent at once. One whose body is too large, or whose URL
     * is invalid, has already failed permanently; a skipped one is never due.
     */
    readonly prepare: (delivery: NewDelivery) => Effect.Effect<Delivery>
    /** Schedules the first attempt for this instant. Belongs inside the transaction of what caused it. */
    readonly enqueue: (delivery: NewDelivery) => Effect.Effect<DeliveryId>
    /**
     * Cancels the pending deliveries of an automation or a destination (W11), in batches, each in a transaction of its
     * own unless the caller is in one. An attempt in flight ends by itself.
     */
    readonly cancelOf: (receiver: WebhookReceiver) => Effect.Effect<void>
    /**
     * Runs a change of the caller in a transaction (`writer`). Once it is committed, cancels what waits for the receivers that it turned off or
     * deleted, which the change reports: nothing is sent to them from the commit on, whatever still waits. Not interrupted
     * in between; what a crash leaves waiting is cancelled when it is due, or when its receiver is turned on again.
     */
    readonly cancelling: <A, E>(
      caller: Caller,
      change: (report: (receiver: WebhookReceiver) => void) => Effect.Effect<A, E>
    ) => Effect.Effect<A, E | Unauthenticated>
    /** Cancels one delivery; an ended one is not changed. */
    readonly cancel: (delivery: Delivery) => Effect.Effect<void>
  }
>()("@tapedeck/core/Deliveries") {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const store = yield* storeOf("changes", "deliveries", "transaction")
      const write = yield* writer
      const ids = yield* Ids
      const isTraced = yield* ExportsSpans
      const notices = yield* makeNotices

      const prepare = Effect.fnUntraced(
        function* (delivery: NewDelivery) {
          const at = yield* now
          const trace = isTraced ? yield* traceContext : undefined
          const body = delivery.body === null || utf8Length(delivery.body) > MAX_BODY_BYTES ? null : delivery.body
          const { skipped, urlValues } = delivery
          const error = delivery.isUrlInvalid === true ? "url_invalid" : body === null ? "payload_too_large" : undefined
          const prepared: Delivery = {
            id: DeliveryId.make(yield* Ids.uuid("delivery")),
            accountId: delivery.accountId,
            automationId: delivery.automationId ?? null,
            destinationId: delivery.destinationId ?? null,
            recordingUuid: delivery.recordingUuid ?? null,
            auditEntryId: delivery.auditEntryId ?? null,
            test: delivery.test ?? false,
            redeliveryOf: delivery.redeliveryOf ?? null,
            event: delivery.event,
            body: body ?? "",
            ...(urlValues !== undefined && { urlValues }),
            ...(error !== undefined && { error }),
            ...(skipped !== undefined && { skipped }),
            createdAt: at,
            ...(trace !== undefined && { trace }),
            schedule: delivery.schedule ?? [],
            state: firstState(at, error !== undefined, skipped !== undefined),
            attempts: []
          }
          return prepared
        },
        Effect.provideService(Ids, ids)
      )

      const enqueue = Effect.fn("Deliveries.enqueue")(function* (delivery: NewDelivery) {
        const prepared = yield* prepare(delivery)
        yield* Effect.annotateCurrentSpan("delivery_id", prepared.id)
        yield* store.deliveries.insert(prepared)
        yield* store.changes.publishOnCommit(deliveryChange(prepared))
        yield* notices.deliveryFailed(prepared)
        return prepared.id
      })

      const cancel = Effect.fn("Deliveries.cancel")(function* (delivery: Delivery) {
        const event = { _tag: "CancelRequested", at: yield* now } as const
        const next = decideDelivery(delivery.state, event, delivery.schedule)
        if (Result.isFailure(next)) return
        const cancelled = { ...delivery, state: next.success }
        yield* store.deliveries.update(cancelled)
        yield* store.changes.publishOnCommit(deliveryChange(cancelled))
      })

      const cancelOf = Effect.fn("Deliveries.cancelOf")(function* (receiver: WebhookReceiver) {
        const at = yield* now
        let progress: CancelProgress | null = null
        do {
          progress = yield* store.deliveries.cancelOf(receiver, { at, limit: cancelBatch, progress })
          yield* Effect.yieldNow
        } while (progress !== null)
      })

      const cancelling = <A, E>(
        caller: Caller,
        change: (report: (receiver: WebhookReceiver) => void) => Effect.Effect<A, E>
      ) =>
        Effect.uninterruptible(
          Effect.suspend(() => {
            let off: Array<WebhookReceiver> = []
            const body = Effect.suspend(() => {
              // The store may run the body again.
              off = []
              return change((receiver) => off.push(receiver))
            })
            return Effect.tap(write(caller, body), () => Effect.forEach(off, cancelOf, { discard: true }))
          })
        )

      return Deliveries.of({
        prepare,
        enqueue,
        cancel: (delivery) => store.transaction(cancel(delivery)),
        cancelOf,
        cancelling
      })
    })
  )
}
