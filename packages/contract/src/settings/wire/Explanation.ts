import {
  CancellationCause as DomainCancellationCause,
  DeliveryReason as DomainDeliveryReason,
  DueBecause as DomainDueBecause,
  NoDeliveryReason as DomainNoDeliveryReason
} from "@tapedeck/domain/internal/delivery"
import { Schema } from "effect"
import { count, dateTime, nullableCount, nullableDateTime, nullableText, text } from "../../wire/fields.ts"
import { exampleId, id, listOf, numericId } from "../fields.ts"
import { AuditEventType, AuditUser } from "./AuditEntry.ts"
import { DeliveryState } from "./Delivery.ts"

const Deed = Schema.Struct({
  audit_entry_id: numericId("audit entry", 12),
  event_type: AuditEventType,
  timestamp: dateTime("Time of the action."),
  user: Schema.NullOr(AuditUser).annotate({ description: "User who acted; null for the system." })
}).annotate({ identifier: "Deed", description: "Action in the audit log." })

const deed = (description: string) => Schema.NullOr(Deed).annotate({ description })

const DeliveryReason = DomainDeliveryReason.annotate({
  identifier: "DeliveryReason",
  description: "Reason for the state of the delivery.",
  examples: ["waiting_for_retry"]
})

const NextAttempt = Schema.Struct({
  attempt: count("Number of the attempt, counted from 1. Retry n is attempt n + 1.", 2),
  at: dateTime("Time at which the attempt is due."),
  because: DomainDueBecause.annotate({
    identifier: "DueBecause",
    description:
      "Reason for this time. `event`: the time of the event. `schedule`: the schedule's delay after the start of the previous attempt. " +
      "`end_of_attempt`: the end of the previous attempt, which came after that delay. `given_back`: a worker returned the delivery unsent.",
    examples: ["schedule"]
  }),
  delay_ms: nullableCount(
    "The schedule's delay before the attempt, in milliseconds; null for the first attempt.",
    60_000
  )
}).annotate({ identifier: "NextAttempt", description: "Next attempt of a delivery." })

const Cancellation = Schema.Struct({
  cause: DomainCancellationCause.annotate({
    identifier: "CancellationCause",
    description:
      "Cause of the cancellation: the receiver was disabled (`turned_off`) or `deleted`, the delivery was sent again as a new one " +
      "(`delivered_again`) or cancelled by a request (`called_off`). `not_known`: no stored data shows the cause.",
    examples: ["turned_off"]
  }),
  at: nullableDateTime("Time of the cancellation; null until the attempt in flight has ended."),
  by: deed("Action that caused the cancellation; null if the audit log has no entry about it.")
}).annotate({ identifier: "Cancellation", description: "Cancellation of a delivery." })

export const DeliveryExplanation = Schema.Struct({
  delivery_id: id("delivery"),
  state: DeliveryState,
  reason: DeliveryReason,
  explanation: text(
    "Explanation in words.",
    "Attempt 1 failed: it was answered with 503. Retry 1 of 5 is due at 2026-01-01T09:01:00.000Z, 1 minute after attempt 1 began."
  ),
  next_attempt: Schema.NullOr(NextAttempt).annotate({
    description: "Next attempt; null for none."
  }),
  blocked: nullableText(
    "Reason of the address guard, if it blocked the last attempt; otherwise null.",
    "webhooks go by HTTPS only"
  ),
  cancellation: Schema.NullOr(Cancellation).annotate({
    description: "Cancellation of the delivery; null if it was not cancelled."
  })
}).annotate({ identifier: "DeliveryExplanation", description: "Explanation of a delivery's state." })
export type DeliveryExplanation = typeof DeliveryExplanation.Type

const KnownDelivery = Schema.Struct({
  id: id("delivery"),
  state: DeliveryState,
  created_at: dateTime("Time at which the delivery was created.")
})

export const EventExplanation = Schema.Struct({
  reason: DomainNoDeliveryReason.annotate({
    identifier: "NoDeliveryReason",
    description:
      "Reason. `has_deliveries`: the event has deliveries. `not_in_folder`: the recording never entered the automation's folder. " +
      "`was_there_already`: the event is older than the receiver. `was_turned_off`, `was_of_another_folder`, `filtered_out`: at the time of " +
      "the event, the receiver was disabled, had another folder, or filtered the event out. `not_kept`: the event caused a delivery, which is " +
      "no longer stored. `not_known`: no stored data shows the reason.",
    examples: ["was_turned_off"]
  }),
  explanation: text(
    "Explanation in words.",
    "The recording was added to the folder at 2026-01-01T09:00:00.000Z, while the automation was turned off."
  ),
  because_of: deed("Action from which the reason follows; null if the audit log has no entry about it."),
  deliveries: listOf(KnownDelivery, "Deliveries of the event, newest first; at most the newest 100.")
}).annotate({
  identifier: "EventExplanation",
  description: "Reason why an event has no delivery, or the deliveries that it has.",
  examples: [
    {
      reason: "has_deliveries",
      explanation: "There is a delivery of it: ask for the explanation of that one.",
      because_of: null,
      deliveries: [{ id: exampleId, state: "waiting", created_at: "2026-01-01T09:00:00.000Z" }]
    }
  ]
})
export type EventExplanation = typeof EventExplanation.Type
