import type { AuditEntry, AuditEventType, CancellationCause, Delivery, Instant } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Store } from "../../Store.ts"
import { findEntries } from "./auditSearch.ts"

/** The cause of a cancellation. */
export interface Cancellation {
  readonly cause: CancellationCause
  /** Null while the attempt that was in flight then has not ended. */
  readonly at: Instant | null
  /** Its audit entry. */
  readonly entry: AuditEntry | null
}

const eventTypes = {
  automation: ["automation.updated", "automation.deleted", "automation.redelivered", "automation.delivery_cancelled"],
  audit: [
    "audit_destination.updated",
    "audit_destination.deleted",
    "audit_destination.redelivered",
    "audit_destination.delivery_cancelled"
  ]
} as const satisfies Readonly<Record<Delivery["kind"], ReadonlyArray<AuditEventType>>>

/**
 * Returns the cause of a delivery's cancellation, if any. Every operation that disables or deletes its receiver cancels all pending deliveries
 * (W11), so it was the first one after the delivery was created.
 */
export const cancellationOf = Effect.fnUntraced(function* (store: Pick<Store, "auditEntries">, delivery: Delivery) {
  const { state } = delivery
  const isPending = state._tag === "Attempting" && state.cancelRequested
  if (state._tag !== "Cancelled" && !isPending) return null
  const { entries } = yield* findEntries(store, {
    accountId: delivery.accountId,
    eventTypes: eventTypes[delivery.kind],
    targetId: delivery.automationId ?? delivery.destinationId ?? "",
    since: delivery.createdAt
  })
  const at = state._tag === "Cancelled" ? state.at : null
  for (const entry of entries.toReversed()) {
    const cause = causeIn(entry, delivery)
    if (cause !== undefined) return { cause, at, entry } as Cancellation
  }
  return { cause: "not_known", at, entry: null } as Cancellation
})

const causeIn = ({ eventType, metadata }: AuditEntry, { id }: Delivery): CancellationCause | undefined => {
  const { changes } = metadata
  if (eventType.endsWith(".deleted")) return "deleted"
  if (eventType.endsWith(".redelivered")) return changes.delivery?.from === id ? "delivered_again" : undefined
  if (eventType.endsWith(".delivery_cancelled")) return changes.delivery?.from === id ? "called_off" : undefined
  return changes.enabled?.to === false ? "turned_off" : undefined
}
