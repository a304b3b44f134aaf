import * as Schema from "effect/Schema"
import { AccountId, AuditEntryId, AutomationId, DeliveryId, DestinationId, RecordingUuid } from "../ids.ts"
import { Instant } from "../time.ts"
import { Attempt } from "./Attempt.ts"
import { DeliveryState } from "./stateSchema.ts"

/** Why a delivery failed permanently without an attempt: its body would be larger than `MAX_BODY_BYTES`. */
export const DeliveryError = Schema.Literal("payload_too_large")
export type DeliveryError = typeof DeliveryError.Type

/** An event for one receiver. Each attempt uses the receiver's configuration of its moment. */
export const Delivery = Schema.Struct({
  id: DeliveryId,
  accountId: AccountId,
  automationId: Schema.NullOr(AutomationId),
  destinationId: Schema.NullOr(DestinationId),
  recordingUuid: Schema.NullOr(RecordingUuid),
  auditEntryId: Schema.NullOr(AuditEntryId),
  /** A send-test: never retried, and marked in the log. */
  test: Schema.Boolean,
  /** The delivery of which this is a redelivery. */
  redeliveryOf: Schema.NullOr(DeliveryId),
  event: Schema.String,
  /** The JSON text that every attempt sends, rendered once, when the event happened. Empty where it was too large. */
  body: Schema.String,
  error: Schema.optionalKey(DeliveryError),
  createdAt: Instant,
  /** W3C trace context (`traceparent`) of what caused it. Only where the server exports spans; receivers do not get it. */
  trace: Schema.optionalKey(Schema.String),
  /** Its receiver's `RetrySchedule` when the event happened; a send-test has no retries. */
  schedule: Schema.Array(Schema.Natural),
  state: DeliveryState,
  attempts: Schema.Array(Attempt)
})
export type Delivery = typeof Delivery.Type

/** The kinds of receivers: an automation of a folder, and a destination of audit entries. */
export const deliveryKinds = ["automation", "audit"] as const

/** The kind of its receiver. */
export const deliveryKind = ({ automationId }: Pick<Delivery, "automationId">): (typeof deliveryKinds)[number] =>
  automationId === null ? "audit" : "automation"
