import type { settings } from "@tapedeck/contract"
import { MASK, type SentTest } from "@tapedeck/core"
import { type Attempt, type Delivery, type HeaderList, toIso } from "@tapedeck/domain"
import { deliveryStateName, nextAttemptAt } from "@tapedeck/domain/delivery"
import { headerMap, type ListedDelivery } from "@tapedeck/domain/internal/delivery"

const anything = /^/

/** Values of a request's headers that are neither custom nor a signature (S3), by the headers' names. */
const shownValues = new Map([
  ["content-type", anything],
  ["webhook-id", anything],
  ["webhook-timestamp", anything],
  // Values that the service sets (W14).
  ["accept", /^\*\/\*$/],
  ["user-agent", /^[^\s/]+\/\d+\.\d+\.\d+(?:[^\s\d]\S*)?$/]
])

const masked = ([name, value]: HeaderList[number]) => [name, shownValues.get(name)?.test(value) ? value : MASK] as const

const wireAttempt = (attempt: Attempt): settings.Delivery["attempts"][number] => {
  const { request, response } = attempt
  return {
    attempt: attempt.attempt,
    timestamp: toIso(attempt.at),
    elapsed_ms: attempt.elapsedMs,
    duration_ms: attempt.endedAt - attempt.at,
    outcome: attempt.outcome,
    status_code: attempt.statusCode,
    request: request === null ? null : { ...request, headers: headerMap(request.headers.map(masked)) },
    response: response === null ? null : { ...response, headers: headerMap(response.headers) },
    error: attempt.error
  }
}

/** A delivery as its execution log shows it (Events; W9). */
export const wireDelivery = (delivery: Delivery | ListedDelivery): settings.Delivery => {
  const at = nextAttemptAt(delivery.state)
  return {
    id: delivery.id,
    event: delivery.event,
    test: delivery.test,
    automation_id: delivery.automationId,
    audit_destination_id: delivery.destinationId,
    state: deliveryStateName(delivery.state),
    ...(delivery.state._tag === "Waiting" && { retry: delivery.state.retry }),
    recording_uuid: delivery.recordingUuid,
    audit_entry_id: delivery.auditEntryId,
    redelivery_of: delivery.redeliveryOf,
    body: delivery.body,
    error: delivery.error ?? null,
    skipped: delivery.skipped ?? null,
    body_truncated: "isBodyCut" in delivery && delivery.isBodyCut,
    created_at: toIso(delivery.createdAt),
    next_attempt_at: at === null ? null : toIso(at),
    attempts: delivery.attempts.map(wireAttempt)
  }
}

export const wireTest = ({ delivery, result }: SentTest): settings.SendTest => ({
  result,
  delivery: wireDelivery(delivery)
})
