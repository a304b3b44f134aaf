import * as Schema from "effect/Schema"
import { type Instant, toIso } from "../time.ts"
import type { Attempt } from "./Attempt.ts"
import type { Delivery, DeliveryError } from "./Delivery.ts"
import { skipText } from "./skipText.ts"
import type { DeliveryState } from "./stateSchema.ts"

/** Reason for the state of a delivery. */
export const DeliveryReason = Schema.Literals([
  "first_attempt_due",
  "retry_due",
  "waiting_for_retry",
  "under_way",
  "delivered",
  "retries_used_up",
  "payload_too_large",
  "url_invalid",
  "test_failed",
  "cancelled",
  "skipped"
])
export type DeliveryReason = typeof DeliveryReason.Type

/**
 * Reason for the time at which an attempt is due. `event`: the time of the event. `schedule`: the schedule's delay after the start of
 * the previous attempt. `end_of_attempt`: the end of the previous attempt, which took longer than that delay. `given_back`: a worker
 * claimed the delivery, and returned it unsent.
 */
export const DueBecause = Schema.Literals(["event", "schedule", "end_of_attempt", "given_back"])
export type DueBecause = typeof DueBecause.Type

/** The next attempt of a delivery. */
export interface NextAttempt {
  readonly attempt: number
  readonly at: Instant
  readonly because: DueBecause
  /** Delay of the schedule before the attempt, in milliseconds; null for the first attempt. */
  readonly delayMs: number | null
}

export interface DeliveryExplanation {
  readonly reason: DeliveryReason
  readonly next: NextAttempt | null
  /** The explanation as text, with the last attempt and the reason of the address guard. */
  readonly text: string
}

/** Explains the state of a delivery, from the delivery alone. The cause of a cancellation is in the audit log. */
export const explainDelivery = (delivery: Delivery, at: Instant): DeliveryExplanation => {
  const next = nextOf(delivery)
  const last = delivery.attempts.at(-1)
  const reason = reasonOf(delivery, next, at)
  const sentences = [last === undefined ? "" : attemptText(last), stateText(delivery, reason, next)]
  return { reason, next, text: sentences.filter((sentence) => sentence !== "").join(" ") }
}

const reasonOf = ({ error, state, test }: Delivery, next: NextAttempt | null, at: Instant): DeliveryReason => {
  switch (state._tag) {
    case "Scheduled":
      return "first_attempt_due"
    case "Waiting":
      return next !== null && next.at <= at ? "retry_due" : "waiting_for_retry"
    case "Attempting":
      return "under_way"
    case "Delivered":
      return "delivered"
    case "PermanentlyFailed":
      return error ?? (test ? "test_failed" : "retries_used_up")
    case "Cancelled":
      return "cancelled"
    case "Skipped":
      return "skipped"
  }
}

const nextOf = (delivery: Delivery): NextAttempt | null => {
  const { createdAt, state } = delivery
  if (state._tag === "Scheduled") {
    return { attempt: 1, at: state.dueAt, because: state.dueAt === createdAt ? "event" : "given_back", delayMs: null }
  }
  if (state._tag !== "Waiting") return null
  const delayMs = delivery.schedule[state.retry - 1] ?? null
  return { attempt: state.retry + 1, at: state.dueAt, because: becauseOf(state, delivery.attempts, delayMs), delayMs }
}

const becauseOf = (
  { dueAt }: Extract<DeliveryState, { readonly _tag: "Waiting" }>,
  attempts: ReadonlyArray<Attempt>,
  delayMs: number | null
): DueBecause => {
  const before = attempts.at(-1)
  if (before !== undefined && delayMs !== null && dueAt === before.at + delayMs) return "schedule"
  return dueAt === before?.endedAt ? "end_of_attempt" : "given_back"
}

const stateText = ({ attempts, state, ...delivery }: Delivery, reason: DeliveryReason, next: NextAttempt | null) => {
  switch (state._tag) {
    case "Scheduled":
      return `The first attempt has been due since ${toIso(state.dueAt)}. It starts as soon as a worker has a free slot.`
    case "Waiting":
      return next === null ? "" : retryText(state.retry, next, reason, delivery.schedule.length)
    case "Attempting":
      return state.cancelRequested
        ? `Attempt ${state.attempt} has been in flight since ${toIso(state.startedAt)}. The delivery was cancelled: if the attempt fails, there is no other.`
        : `Attempt ${state.attempt} has been in flight since ${toIso(state.startedAt)}.`
    case "Delivered":
      return `The receiver accepted it at ${toIso(state.at)}.`
    case "PermanentlyFailed":
      if (delivery.error !== undefined) return errorTexts[delivery.error]
      return delivery.test
        ? "It was a send-test, which is never retried."
        : `It failed permanently at ${toIso(state.at)}, after ${delivery.schedule.length} retries.`
    case "Cancelled":
      return `It was cancelled at ${toIso(state.at)}. Nothing more is sent.`
    case "Skipped":
      return delivery.skipped === undefined
        ? ""
        : `It was skipped, and nothing was sent: ${skipText(delivery.skipped)}.`
  }
}

const errorTexts = {
  payload_too_large: "Its payload would be larger than 1 MiB: nothing was sent.",
  url_invalid:
    "With the recording's values, its URL would be too long, have `.` or `..` as a path segment, or name another host: nothing was sent."
} as const satisfies Readonly<Record<DeliveryError, string>>

const retryText = (retry: number, next: NextAttempt, reason: DeliveryReason, retries: number): string => {
  const due = `Retry ${retry} of ${retries} is due ${reason === "retry_due" ? "since" : "at"} ${toIso(next.at)}`
  const delay = next.delayMs === null ? "" : durationText(next.delayMs)
  switch (next.because) {
    case "schedule":
      return `${due}, ${delay} after attempt ${retry} began.`
    case "end_of_attempt":
      return `${due}, the end of attempt ${retry}, which took longer than the delay of ${delay}.`
    default:
      return `${due}: a worker claimed it, and released it before anything was sent.`
  }
}

/** Returns the outcome of an attempt as text, with the reason of the address guard if it was blocked. */
const attemptText = ({ attempt, error, outcome, statusCode }: Attempt): string => {
  const why = error === null ? "" : `: ${error}`
  if (outcome === "success") return `Attempt ${attempt} was answered with ${statusCode}.`
  if (outcome === "failure") return `Attempt ${attempt} failed: it was answered with ${statusCode}.`
  if (outcome === "lost") return `Attempt ${attempt} was lost with its worker, and counts as failed.`
  if (outcome === "blocked") return `Attempt ${attempt} was blocked, and nothing was sent${why}.`
  return `Attempt ${attempt} failed (${outcome})${why}.`
}

const units = [
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1_000, "second"]
] as const

const durationText = (ms: number): string => {
  const [size, name] = units.find(([unit]) => ms >= unit && ms % unit === 0) ?? [1, "millisecond"]
  const amount = ms / size
  return `${amount} ${name}${amount === 1 ? "" : "s"}`
}
