import {
  CancellationCause as DomainCancellationCause,
  DeliveryReason as DomainDeliveryReason,
  DueBecause as DomainDueBecause,
  NoDeliveryReason as DomainNoDeliveryReason
} from "@tapedeck/domain/internal"
import { Schema } from "effect"
import { count, dateTime, nullableCount, nullableDateTime, nullableText, text } from "../../wire/fields.ts"
import { exampleId, id, listOf, numericId } from "../fields.ts"
import { AuditEventType, AuditUser } from "./AuditEntry.ts"
import { DeliveryState } from "./Delivery.ts"

const Deed = Schema.Struct({
  audit_entry_id: numericId("audit entry", 12),
  event_type: AuditEventType,
  timestamp: dateTime("When."),
  user: Schema.NullOr(AuditUser).annotate({ description: "The acting user; null for the system." })
}).annotate({ identifier: "Deed", description: "An action in the audit log." })

const deed = (description: string) => Schema.NullOr(Deed).annotate({ description })

const DeliveryReason = DomainDeliveryReason.annotate({
  identifier: "DeliveryReason",
  description: "Why the delivery is where it is.",
  examples: ["waiting_for_retry"]
})

const NextAttempt = Schema.Struct({
  attempt: count("Which one, from 1; retry n is attempt n + 1.", 2),
  at: dateTime("When it is due."),
  because: DomainDueBecause.annotate({
    identifier: "DueBecause",
    description:
      "Why then: the event happened then (`event`); the schedule's delay after the attempt before it began (`schedule`), or that one ended " +
      "later (`end_of_attempt`); or a worker gave it back unsent (`given_back`).",
    examples: ["schedule"]
  }),
  delay_ms: nullableCount("The schedule's delay before it, in milliseconds; null before the first attempt.", 60_000)
}).annotate({ identifier: "NextAttempt", description: "The attempt that is to come." })

const Cancellation = Schema.Struct({
  cause: DomainCancellationCause.annotate({
    identifier: "CancellationCause",
    description: "The receiver was turned off or deleted, or the delivery was sent again as a new one.",
    examples: ["turned_off"]
  }),
  at: nullableDateTime("When it was cancelled; null while the attempt that was in flight has not ended."),
  by: deed("The action that caused it; null if the audit log has no entry about it.")
}).annotate({ identifier: "Cancellation", description: "The cause of the cancellation." })

export const DeliveryExplanation = Schema.Struct({
  delivery_id: id("delivery"),
  state: DeliveryState,
  reason: DeliveryReason,
  explanation: text(
    "The same in words.",
    "Attempt 1 failed: it was answered with 503. Retry 1 of 5 is due at 2026-01-01T09:01:00.000Z, 1 minute after attempt 1 began."
  ),
  next_attempt: Schema.NullOr(NextAttempt).annotate({
    description: "The attempt that is to come; null where none is."
  }),
  blocked: nullableText("The guard's reason, if it blocked the last attempt.", "webhooks go by HTTPS only"),
  cancellation: Schema.NullOr(Cancellation).annotate({ description: "Null unless it was called off." })
}).annotate({ identifier: "DeliveryExplanation", description: "Why a delivery is where it is." })
export type DeliveryExplanation = typeof DeliveryExplanation.Type

const KnownDelivery = Schema.Struct({
  id: id("delivery"),
  state: DeliveryState,
  created_at: dateTime("When it was made.")
})

export const EventExplanation = Schema.Struct({
  reason: DomainNoDeliveryReason.annotate({
    identifier: "NoDeliveryReason",
    description:
      "`has_deliveries`: there are some. `not_in_folder`: the recording never came to the automation's folder. `was_there_already`: the event was before " +
      "the receiver was made. `was_turned_off`, `was_of_another_folder`, `filtered_out`: by the receiver's settings of then. `not_kept`: it should " +
      "have made a delivery, which is no longer stored. `not_known`: no stored data shows it.",
    examples: ["was_turned_off"]
  }),
  explanation: text(
    "The same in words.",
    "The recording was added to the folder at 2026-01-01T09:00:00.000Z, while the automation was turned off."
  ),
  because_of: deed("What it follows from; null where the audit log has no entry about it."),
  deliveries: listOf(KnownDelivery, "The deliveries of it that there are, newest first; of many the newest hundred.")
}).annotate({
  identifier: "EventExplanation",
  description: "Why there is no delivery of an event, or which there are.",
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
