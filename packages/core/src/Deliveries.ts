import { type Delivery, DeliveryId, decideDelivery, scheduleOf } from "@tapedeck/domain"
import { Context, Effect, Layer, Result } from "effect"
import { Ids } from "./Ids.ts"
import { now } from "./now.ts"
import { type DeliveryFilter, Store } from "./Store.ts"

/** A delivery to be: its body is rendered once, here, when the event happens (W11). */
export interface NewDelivery
  extends Pick<Delivery, "accountId" | "kind" | "event" | "body">,
    Partial<
      Pick<
        Delivery,
        "automationId" | "destinationId" | "recordingUuid" | "auditEntryId" | "test" | "redeliveryOf" | "maxRetries"
      >
    > {}

/** What deliveries go to: a folder's automation, or an audit destination. */
export type WebhookReceiver =
  | Required<Pick<DeliveryFilter, "automationId">>
  | Required<Pick<DeliveryFilter, "destinationId">>

/** The states in which there is something left to call off. */
const unfinished = ["Scheduled", "Waiting", "Attempting"] as const

/** Deliveries before and beside their attempts: put on the schedule, called off. The dispatcher makes the attempts. */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** A delivery, due at this instant, that is not put on the schedule: for what is sent at once. */
    readonly prepare: (delivery: NewDelivery) => Effect.Effect<Delivery>
    /** Schedules the first attempt for this instant. Belongs inside the transaction of what caused it. */
    readonly enqueue: (delivery: NewDelivery) => Effect.Effect<DeliveryId>
    /** Calls off whatever of an automation or a destination is not yet delivered (W11). An attempt that is under way ends by itself. */
    readonly cancelOf: (receiver: WebhookReceiver) => Effect.Effect<void>
    /** Calls off one delivery; one that has come to its end stays as it is. */
    readonly cancel: (delivery: Delivery) => Effect.Effect<void>
  }
>()("@tapedeck/core/Deliveries") {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const store = yield* Store
      const ids = yield* Ids

      const prepare = Effect.fnUntraced(
        function* (delivery: NewDelivery) {
          const at = yield* now
          const prepared: Delivery = {
            id: DeliveryId.make(yield* Ids.uuid("delivery")),
            accountId: delivery.accountId,
            kind: delivery.kind,
            automationId: delivery.automationId ?? null,
            destinationId: delivery.destinationId ?? null,
            recordingUuid: delivery.recordingUuid ?? null,
            auditEntryId: delivery.auditEntryId ?? null,
            test: delivery.test ?? false,
            redeliveryOf: delivery.redeliveryOf ?? null,
            event: delivery.event,
            body: delivery.body,
            createdAt: at,
            maxRetries: delivery.maxRetries ?? 0,
            state: { _tag: "Scheduled", dueAt: at },
            attempts: []
          }
          return prepared
        },
        Effect.provideService(Ids, ids)
      )

      const enqueue = Effect.fnUntraced(function* (delivery: NewDelivery) {
        const prepared = yield* prepare(delivery)
        yield* store.deliveries.insert(prepared)
        return prepared.id
      })

      const cancel = Effect.fnUntraced(function* (delivery: Delivery) {
        const event = { _tag: "CancelRequested", at: yield* now } as const
        const next = decideDelivery(delivery.state, event, scheduleOf(delivery))
        if (Result.isSuccess(next)) yield* store.deliveries.update({ ...delivery, state: next.success })
      })

      const cancelOf = Effect.fnUntraced(function* (receiver: WebhookReceiver) {
        for (const state of unfinished) {
          yield* Effect.forEach(yield* store.deliveries.list({ ...receiver, state }), cancel, { discard: true })
        }
      })

      return Deliveries.of({
        prepare,
        enqueue,
        cancel: (delivery) => store.transaction(cancel(delivery)),
        cancelOf: (receiver) => store.transaction(cancelOf(receiver))
      })
    })
  )
}
