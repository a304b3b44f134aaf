import { type AutomationId, type Delivery, DeliveryId, decideDelivery, scheduleOf } from "@tapedeck/domain"
import { Context, Effect, Layer, Result } from "effect"
import { Ids } from "./Ids.ts"
import { now } from "./now.ts"
import { Store } from "./Store.ts"

/** A delivery to be: its body is rendered once, here, when the event happens (W11). */
export interface NewDelivery
  extends Pick<Delivery, "accountId" | "kind" | "event" | "body">,
    Partial<
      Pick<
        Delivery,
        "automationId" | "destinationId" | "recordingUuid" | "auditEntryId" | "test" | "redeliveryOf" | "maxRetries"
      >
    > {}

/** Deliveries before and beside their attempts: put on the schedule, called off. The dispatcher makes the attempts. */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** Schedules the first attempt for this instant. Belongs inside the transaction of what caused it. */
    readonly enqueue: (delivery: NewDelivery) => Effect.Effect<DeliveryId>
    /** Calls off whatever of the automation is not yet delivered (W11). An attempt that is under way ends by itself. */
    readonly cancelOf: (automationId: AutomationId) => Effect.Effect<void>
  }
>()("@tapedeck/core/Deliveries") {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const store = yield* Store
      const ids = yield* Ids

      const enqueue = Effect.fnUntraced(
        function* (delivery: NewDelivery) {
          const at = yield* now
          const id = DeliveryId.make(yield* Ids.uuid("delivery"))
          yield* store.deliveries.insert({
            id,
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
          })
          return id
        },
        Effect.provideService(Ids, ids)
      )

      const cancelOf = Effect.fnUntraced(function* (automationId: AutomationId) {
        const at = yield* now
        for (const delivery of yield* store.deliveries.list({ automationId })) {
          const next = decideDelivery(delivery.state, { _tag: "CancelRequested", at }, scheduleOf(delivery))
          if (Result.isSuccess(next)) yield* store.deliveries.update({ ...delivery, state: next.success })
        }
      })

      return Deliveries.of({ enqueue, cancelOf: (id) => store.transaction(cancelOf(id)) })
    })
  )
}
