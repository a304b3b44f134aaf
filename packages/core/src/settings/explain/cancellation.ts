import type { AuditEntry, AuditEventType, CancellationCause, Delivery, Instant } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Store } from "../../Store.ts"
import { deedsIn } from "./history.ts"

/** Who or what called a delivery off. */
export interface Cancellation {
  readonly cause: CancellationCause
  /** Null while the attempt that was under way then has not ended. */
  readonly at: Instant | null
  /** What the audit log has of it. */
  readonly entry: AuditEntry | null
}

const eventTypes = {
  automation: ["automation.updated", "automation.deleted", "automation.redelivered"],
  audit: ["audit_destination.updated", "audit_destination.deleted", "audit_destination.redelivered"]
} as const satisfies Readonly<Record<Delivery["kind"], ReadonlyArray<AuditEventType>>>

/**
 * Who called a delivery off, if anybody did. Whatever turns its receiver off or deletes it calls off all that is open
 * (W11), so it was the first that did, after the delivery was made.
 */
export const cancellationOf = Effect.fnUntraced(function* (store: Store["Service"], delivery: Delivery) {
  const { state } = delivery
  const isPending = state._tag === "Attempting" && state.cancelRequested
  if (state._tag !== "Cancelled" && !isPending) return null
  const { entries } = yield* deedsIn(store, {
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
  return changes.enabled?.to === false ? "turned_off" : undefined
}
