import {
  AutomationId,
  type Delivery,
  type DeliveryId,
  type DeliveryState,
  DestinationId,
  type ListedDelivery,
  parseRecordingUuid
} from "@tapedeck/domain"
import { Context, Effect, Layer } from "effect"
import type { Caller } from "../Caller.ts"
import { Deliveries } from "../Deliveries.ts"
import { Conflicting, NotFound } from "../errors.ts"
import { type DeliveryFilter, Store, type WebhookReceiver } from "../Store.ts"
import { auditor } from "./audited.ts"
import { type Page, pager } from "./pages.ts"

/** Whose log is read: as the caller names it. */
export type LogOwner =
  | { readonly kind: "automation"; readonly id: string }
  | { readonly kind: "audit_destination"; readonly id: string }

export interface LogOptions {
  readonly page: number
  readonly state?: DeliveryState["_tag"]
}

/**
 * The execution logs of automations and audit destinations: each delivery with its attempts (Events). What one has sent
 * stays in the log of its receiver, send-tests included, which are marked (W9). Once that is deleted, its deliveries are
 * found by their ids and by their recordings.
 */
export class DeliveryLog extends Context.Service<
  DeliveryLog,
  {
    /** Newest first. */
    readonly list: (
      caller: Caller,
      owner: LogOwner,
      options: LogOptions
    ) => Effect.Effect<Page<ListedDelivery>, NotFound>
    /** Of a recording, deleted ones included; newest first. None of what names no recording. */
    readonly ofRecording: (caller: Caller, uuid: string, options: LogOptions) => Effect.Effect<Page<ListedDelivery>>
    readonly get: (caller: Caller, owner: LogOwner | null, id: string) => Effect.Effect<Delivery, NotFound>
    /**
     * Sends the same body once more, as a new delivery with an id and a schedule of its own. One that still has attempts to
     * come is called off: the new one takes its place. A send-test is not sent again, nor anything to whom is turned off.
     */
    readonly redeliver: (caller: Caller, owner: LogOwner, id: string) => Effect.Effect<Delivery, NotFound | Conflicting>
  }
>()("@tapedeck/core/DeliveryLog") {
  static readonly layer = Layer.effect(
    DeliveryLog,
    Effect.gen(function* () {
      const store = yield* Store
      const deliveries = yield* Deliveries
      const audit = yield* auditor
      const page = yield* pager

      /** Where its deliveries go to by now, and how to find them. */
      const receiverOf = Effect.fnUntraced(function* (caller: Caller, owner: LogOwner) {
        if (owner.kind === "automation") {
          const automation = yield* store.automations.byId(AutomationId.make(owner.id))
          if (automation?.accountId !== caller.account.id) return yield* new NotFound({ what: "Automation" })
          const receiver: WebhookReceiver = { automationId: automation.id }
          return { receiver, enabled: automation.enabled, maxRetries: 0 }
        }
        const destination = yield* store.destinations.byId(DestinationId.make(owner.id))
        if (destination?.accountId !== caller.account.id) return yield* new NotFound({ what: "Audit destination" })
        const receiver: WebhookReceiver = { destinationId: destination.id }
        return { receiver, enabled: destination.enabled, maxRetries: destination.maxRetries }
      })

      const pageOf = (filter: DeliveryFilter, { page: number, state }: LogOptions) =>
        page(number, (slice) => store.deliveries.page(state === undefined ? filter : { ...filter, state }, slice))

      const list: DeliveryLog["Service"]["list"] = Effect.fnUntraced(function* (caller, owner, options) {
        const { receiver } = yield* receiverOf(caller, owner)
        return yield* pageOf(receiver, options)
      })

      const ofRecording: DeliveryLog["Service"]["ofRecording"] = ({ account }, uuid, options) => {
        const recordingUuid = parseRecordingUuid(uuid)
        if (recordingUuid === undefined) return page(options.page, () => Effect.succeed({ count: 0, items: [] }))
        return pageOf({ accountId: account.id, recordingUuid }, options)
      }

      const find = Effect.fnUntraced(function* (caller: Caller, receiver: WebhookReceiver | null, id: string) {
        const delivery = yield* store.deliveries.byId(id as DeliveryId)
        const isItsOwn =
          receiver === null ||
          ("automationId" in receiver
            ? delivery?.automationId === receiver.automationId
            : delivery?.destinationId === receiver.destinationId)
        return delivery?.accountId === caller.account.id && isItsOwn
          ? delivery
          : yield* new NotFound({ what: "Delivery" })
      })

      const get = Effect.fnUntraced(function* (caller: Caller, owner: LogOwner | null, id: string) {
        const receiver = owner === null ? null : (yield* receiverOf(caller, owner)).receiver
        return yield* find(caller, receiver, id)
      })

      const redeliver = Effect.fnUntraced(function* (caller: Caller, owner: LogOwner, id: string) {
        const { enabled, maxRetries, receiver } = yield* receiverOf(caller, owner)
        const before = yield* find(caller, receiver, id)
        if (before.test) return yield* new Conflicting({ reason: "A send-test is not delivered again: send another" })
        if (before.error !== undefined) {
          return yield* new Conflicting({
            reason: "The payload was too large to be sent: there is nothing to deliver again"
          })
        }
        if (!enabled) return yield* new Conflicting({ reason: `The ${words[owner.kind]} is turned off` })
        yield* deliveries.cancel(before)
        const { accountId, auditEntryId, automationId, body, destinationId, event, kind, recordingUuid } = before
        const again = yield* deliveries.enqueue({
          accountId,
          kind,
          automationId,
          destinationId,
          recordingUuid,
          auditEntryId,
          event,
          body,
          maxRetries,
          redeliveryOf: before.id
        })
        const changes = { delivery: { from: before.id, to: again } }
        yield* audit(caller, `${owner.kind}.redelivered`, { type: owner.kind, id: owner.id }, changes)
        return yield* find(caller, receiver, again)
      })

      return DeliveryLog.of({
        list,
        ofRecording,
        get,
        redeliver: (caller, owner, id) => store.transaction(redeliver(caller, owner, id))
      })
    })
  )
}

const words = { automation: "automation", audit_destination: "audit destination" } as const
