import {
  type AuditDestination,
  AuditEntryId,
  AutomationId,
  type Delivery,
  DeliveryId,
  DestinationId,
  parseRecordingUuid
} from "@tapedeck/domain"
import type { AuditEntry } from "@tapedeck/domain/audit"
import { type DeliveryExplanation, explainDelivery } from "@tapedeck/domain/internal/delivery"
import { Context, Effect, identity, Layer } from "effect"
import type { AuditTrailEntry } from "../audit/AuditTrail.ts"
import { NotFound } from "../errors.ts"
import { numericIdIn } from "../input/numericId.ts"
import { now } from "../now.ts"
import type { Caller } from "../people/Caller.ts"
import { sliceOf, storeOf } from "../store/Store.ts"
import {
  type Cancellation,
  cancellationOf,
  type Explanation,
  explanation,
  whyNoAuditEvent,
  whyNoFolderEvent
} from "./explain.ts"

/** The reason for a delivery's state. */
export interface ExplainedDelivery {
  readonly delivery: Delivery
  readonly explanation: DeliveryExplanation
  readonly cancellation: (Omit<Cancellation, "entry"> & { readonly entry: AuditTrailEntry | null }) | null
}

/** The deliveries of an event to a receiver, or the reason why there is none. */
export interface ExplainedEvent extends Omit<Explanation, "entry"> {
  /** The newest first; of many the newest hundred. */
  readonly deliveries: ReadonlyArray<Delivery>
  readonly entry: AuditTrailEntry | null
}

/**
 * Explains why a webhook was not received (yet), by the delivery, its log and the audit log. A fact that none of them has is reported as
 * unknown. `authorize` decides which calls are permitted.
 */
export class Explanations extends Context.Service<
  Explanations,
  {
    readonly delivery: (caller: Caller, id: string) => Effect.Effect<ExplainedDelivery, NotFound>
    /** Explains the adding of a recording to the automation's folder. */
    readonly automation: (caller: Caller, id: string, recording: string) => Effect.Effect<ExplainedEvent, NotFound>
    /** Explains an audit entry and a destination. */
    readonly destination: (caller: Caller, id: string, entry: string) => Effect.Effect<ExplainedEvent, NotFound>
  }
>()("@tapedeck/core/Explanations") {
  static readonly layer = Layer.effect(
    Explanations,
    Effect.gen(function* () {
      const store = yield* storeOf("auditEntries", "automations", "deliveries", "destinations", "recordings", "users")

      const withUser = Effect.fnUntraced(function* (entry: AuditEntry | null) {
        if (entry === null) return null
        const user = entry.userId === null ? undefined : yield* store.users.byId(entry.userId)
        return { entry, user: user ?? null } as AuditTrailEntry
      })

      const delivery = Effect.fn("Explanations.delivery")(function* (caller: Caller, id: string) {
        const found = yield* store.deliveries.byId(DeliveryId.make(id))
        if (found?.accountId !== caller.account.id) return yield* new NotFound({ what: "Delivery" })
        const called = yield* cancellationOf(store, found)
        const cancellation = called === null ? null : { ...called, entry: yield* withUser(called.entry) }
        return { delivery: found, explanation: explainDelivery(found, yield* now), cancellation }
      })

      const explained = Effect.fnUntraced(function* <E>(
        deliveries: ReadonlyArray<Delivery>,
        whyNone: Effect.Effect<Explanation, E>
      ) {
        const { entry, reason, text } = deliveries.length > 0 ? thereAre(deliveries) : yield* whyNone
        return { reason, text, deliveries, entry: yield* withUser(entry) }
      })

      const automation = Effect.fn("Explanations.automation")(function* (
        caller: Caller,
        id: string,
        recordingId: string
      ) {
        const found = yield* store.automations.byId(AutomationId.make(id))
        if (found?.accountId !== caller.account.id) return yield* new NotFound({ what: "Automation" })
        const uuid = parseRecordingUuid(recordingId)
        const recording = uuid === undefined ? undefined : yield* store.recordings.byUuid(uuid)
        if (recording?.accountId !== caller.account.id) return yield* new NotFound({ what: "Recording" })
        const filter = { automationId: found.id, recordingUuid: recording.uuid }
        const { items } = yield* store.deliveries.page(filter, sliceOf({ page: 1, items: maxDeliveries }), identity)
        return yield* explained(items, whyNoFolderEvent(store, found, recording))
      })

      const destination = Effect.fn("Explanations.destination")(function* (
        caller: Caller,
        id: string,
        entryId: string
      ) {
        const found: AuditDestination | undefined = yield* store.destinations.byId(DestinationId.make(id))
        if (found?.accountId !== caller.account.id) return yield* new NotFound({ what: "Audit destination" })
        const number = numericIdIn(entryId)
        const entry = number === undefined ? undefined : yield* store.auditEntries.byId(AuditEntryId.make(number))
        if (entry?.accountId !== caller.account.id) return yield* new NotFound({ what: "Audit entry" })
        const filter = { destinationId: found.id, auditEntryId: entry.id }
        const { items } = yield* store.deliveries.page(filter, sliceOf({ page: 1, items: maxDeliveries }), identity)
        return yield* explained(items, whyNoAuditEvent(store, found, entry))
      })

      return Explanations.of({ delivery, automation, destination })
    })
  )
}

const maxDeliveries = 100

const thereAre = (deliveries: ReadonlyArray<Delivery>): Explanation =>
  explanation(
    "has_deliveries",
    deliveries.length === 1
      ? "There is a delivery of it: ask for the explanation of that one."
      : `There are ${deliveries.length} deliveries of it: ask for the explanation of each.`
  )
