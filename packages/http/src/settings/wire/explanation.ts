import type { settings } from "@tapedeck/contract"
import type { AuditTrailEntry, ExplainedDelivery, ExplainedEvent } from "@tapedeck/core"
import { toIso } from "@tapedeck/domain"
import { deliveryStateName } from "@tapedeck/domain/delivery"

const wireDeed = (found: AuditTrailEntry | null): settings.EventExplanation["because_of"] => {
  if (found === null) return null
  const { entry, user } = found
  return {
    audit_entry_id: entry.id,
    event_type: entry.eventType,
    timestamp: toIso(entry.at),
    user: user === null ? null : { id: user.id, name: user.name, email: user.email }
  }
}

export const wireDeliveryExplanation = ({
  cancellation,
  delivery,
  explanation
}: ExplainedDelivery): settings.DeliveryExplanation => {
  const { next, reason, text } = explanation
  const last = delivery.attempts.at(-1)
  return {
    delivery_id: delivery.id,
    state: deliveryStateName(delivery.state),
    reason,
    explanation: text,
    next_attempt:
      next === null
        ? null
        : { attempt: next.attempt, at: toIso(next.at), because: next.because, delay_ms: next.delayMs },
    blocked: last?.outcome === "blocked" ? last.error : null,
    cancellation:
      cancellation === null
        ? null
        : {
            cause: cancellation.cause,
            at: cancellation.at === null ? null : toIso(cancellation.at),
            by: wireDeed(cancellation.entry)
          }
  }
}

export const wireEventExplanation = ({
  deliveries,
  entry,
  reason,
  text
}: ExplainedEvent): settings.EventExplanation => ({
  reason,
  explanation: text,
  because_of: wireDeed(entry),
  deliveries: deliveries.map(({ createdAt, id, state }) => ({
    id,
    state: deliveryStateName(state),
    created_at: toIso(createdAt)
  }))
})
