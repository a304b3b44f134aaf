/** Deliveries and redeliveries: outcomes, explanations, statistics, lists. Internal to the packages of Tapedeck: any release may change it. */

export { AttemptOutcome, headerMap } from "../delivery/Attempt.ts"
export { deliveryKind, deliveryKinds } from "../delivery/Delivery.ts"
export {
  type DeliveryExplanation,
  DeliveryReason,
  DueBecause,
  explainDelivery,
  type NextAttempt
} from "../delivery/explain.ts"
export { eventOfOutcome, outcomeOfStatus, TestResult, testResult } from "../delivery/judge.ts"
export { type ListedDelivery, listedDelivery, MAX_LISTED_BODY_BYTES } from "../delivery/listed.ts"
export { CancellationCause, NoDeliveryReason } from "../delivery/noDelivery.ts"
export {
  afterRedeliveryStep,
  Redelivery,
  RedeliveryFilter,
  type RedeliveryStep,
  redeliveryStepSize,
  stoppedRedelivery
} from "../delivery/Redelivery.ts"
export { isSkipReason, skipText } from "../delivery/skipText.ts"
export {
  AttemptResultName,
  type AttemptStatistics,
  type AttemptTally,
  attemptStatistics,
  type CountedReceiver,
  countedReceiver,
  healthAfter,
  ReceiverHealth,
  tallyOf,
  unknownHealth
} from "../delivery/statistics.ts"
