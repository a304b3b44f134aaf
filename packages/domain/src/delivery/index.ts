/** Delivery of webhooks: states, retries and their times. */

export type { Receiver, SignatureScheme } from "../receivers/Receiver.ts"
export type { Instant } from "../time.ts"
export type { Attempt, AttemptOutcome } from "./Attempt.ts"
export type {
  Allocate,
  AnyDelivery,
  AttemptResult,
  Claim,
  ClaimOptions,
  DeliveryQueue,
  NextDue,
  QueueKey
} from "./queue.ts"
export { auditSchedule, folderSchedule, MAX_AUDIT_RETRIES, type RetrySchedule } from "./schedule.ts"
export {
  decideDelivery,
  deliveryStateName,
  deliveryStateTag,
  ImpossibleDeliveryMove,
  isFinalState,
  nextAttemptAt
} from "./state.ts"
export type { DeliveryEvent, DeliveryState, DeliveryStateName } from "./stateSchema.ts"
export { type TimedOutcome, type Timeline, type TimelineAttempt, timelineOf } from "./timeline.ts"
