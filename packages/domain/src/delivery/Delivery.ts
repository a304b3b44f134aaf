import * as Schema from "effect/Schema"
import { AccountId, AuditEntryId, AutomationId, DeliveryId, DestinationId, RecordingUuid } from "../ids.ts"
import { Instant } from "../time.ts"
import { Attempt } from "./Attempt.ts"
import { skipReasons } from "./skipText.ts"
import { DeliveryState } from "./stateSchema.ts"

/**
 * Reason why a delivery failed permanently before its first attempt: its body would exceed `MAX_BODY_BYTES`, or the values of its event
 * give no valid URL (`renderUrl`).
 */
export const DeliveryError = Schema.Literals(["payload_too_large", "url_invalid"])
export type DeliveryError = typeof DeliveryError.Type

/** Reason why a delivery was skipped: a condition of the automation that does not hold, or a variable of its URL that is missing. */
export const SkipReason = Schema.Literals(skipReasons)
export type SkipReason = typeof SkipReason.Type

export const Skip = Schema.Struct({
  reason: SkipReason,
  /** The missing variables; empty for the other reasons. */
  variables: Schema.Array(Schema.String)
})
export type Skip = typeof Skip.Type

/** An event for one receiver. Each attempt uses the configuration that the receiver has at that time. */
export const Delivery = Schema.Struct({
  id: DeliveryId,
  accountId: AccountId,
  automationId: Schema.NullOr(AutomationId),
  destinationId: Schema.NullOr(DestinationId),
  recordingUuid: Schema.NullOr(RecordingUuid),
  auditEntryId: Schema.NullOr(AuditEntryId),
  /** True for a send-test, which is never retried, and is marked in the log. */
  test: Schema.Boolean,
  /** The delivery that this one sends again; null for none. */
  redeliveryOf: Schema.NullOr(DeliveryId),
  event: Schema.String,
  /** JSON text that each attempt sends, rendered once, at the time of the event. Empty if nothing can be sent (`error`, `skipped`). */
  body: Schema.String,
  /** Values of the URL's variables at the time of the event. Each attempt renders the URL that the receiver has then with them. */
  urlValues: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  error: Schema.optionalKey(DeliveryError),
  /** Present in the state `Skipped` only. */
  skipped: Schema.optionalKey(Skip),
  createdAt: Instant,
  /** W3C trace context (`traceparent`) of the cause. Present only if the server exports spans; receivers do not get it. */
  trace: Schema.optionalKey(Schema.String),
  /** `RetrySchedule` of the receiver at the time of the event; empty for a send-test. */
  schedule: Schema.Array(Schema.Natural),
  state: DeliveryState,
  attempts: Schema.Array(Attempt)
})
export type Delivery = typeof Delivery.Type

/** The kinds of receivers: an automation of a folder, and a destination of audit entries. */
export const deliveryKinds = ["automation", "audit"] as const

/** Returns the kind of the delivery's receiver. */
export const deliveryKind = ({ automationId }: Pick<Delivery, "automationId">): (typeof deliveryKinds)[number] =>
  automationId === null ? "audit" : "automation"
