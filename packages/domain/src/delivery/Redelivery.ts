import * as Schema from "effect/Schema"
import { AccountId, AutomationId, DestinationId, RecordingUuid, RedeliveryId, UserId } from "../ids.ts"
import { Instant } from "../time.ts"

/** Which deliveries are delivered again; all that is given must hold. */
export const RedeliveryFilter = Schema.Struct({
  state: Schema.optionalKey(
    Schema.Literals(["Scheduled", "Attempting", "Waiting", "Delivered", "PermanentlyFailed", "Cancelled"])
  ),
  automationId: Schema.optionalKey(AutomationId),
  destinationId: Schema.optionalKey(DestinationId),
  recordingUuid: Schema.optionalKey(RecordingUuid),
  event: Schema.optionalKey(Schema.String),
  /** Of any of its attempts. */
  statusCode: Schema.optionalKey(Schema.Int),
  /** Made from this instant on. */
  since: Schema.optionalKey(Instant),
  /** Made before this instant. */
  until: Schema.optionalKey(Instant)
})
export type RedeliveryFilter = typeof RedeliveryFilter.Type

const Running = Schema.TaggedStruct("Running", { dueAt: Instant })
const Finished = Schema.TaggedStruct("Finished", { at: Instant })
/** `not_permitted`: the user who started it is no admin any more. */
const Stopped = Schema.TaggedStruct("Stopped", {
  at: Instant,
  reason: Schema.Literals(["requested", "not_permitted"])
})

/** A job that delivers again what a filter finds, the newest first, at a limited rate. */
export const Redelivery = Schema.Struct({
  id: RedeliveryId,
  accountId: AccountId,
  /** The admin who started it, with whose permissions it runs. */
  userId: UserId,
  createdAt: Instant,
  filter: RedeliveryFilter,
  /** Maximum number of deliveries that it takes. */
  limit: Schema.Int,
  /** Deliveries a second. */
  rate: Schema.Int,
  /** How many the filter found at the start, as far as they were counted. */
  count: Schema.Natural,
  isExact: Schema.Boolean,
  /** Behind which delivery it continues, in the order of creation, the newest first. */
  place: Schema.Int,
  redelivered: Schema.Natural,
  /** Found, but not to be delivered again: send-tests, receivers that are off or deleted, payloads that were too large. */
  skipped: Schema.Natural,
  state: Schema.Union([Running, Finished, Stopped])
})
export type Redelivery = typeof Redelivery.Type

/** What one step did. */
export interface RedeliveryStep {
  readonly at: Instant
  readonly redelivered: number
  readonly skipped: number
  /** Behind which delivery the search continues; null: it found the last one. */
  readonly next: number | null
}

/** Maximum number of deliveries of one step, which is one transaction. */
const maxStep = 25

/** How many deliveries the next step takes at most. */
export const redeliveryStepSize = ({ limit, rate, redelivered, skipped }: Redelivery): number =>
  Math.min(maxStep, rate, limit - redelivered - skipped)

/** The job after a step: finished, or due again when the rate permits the next one. */
export const afterRedeliveryStep = (job: Redelivery, { at, next, ...step }: RedeliveryStep): Redelivery => {
  const redelivered = job.redelivered + step.redelivered
  const skipped = job.skipped + step.skipped
  const isFinished = next === null || redelivered + skipped >= job.limit
  const pauseMs = Math.ceil(((step.redelivered + step.skipped) * 1_000) / job.rate)
  return {
    ...job,
    redelivered,
    skipped,
    place: next ?? job.place,
    state: isFinished ? { _tag: "Finished", at } : { _tag: "Running", dueAt: (at + pauseMs) as Instant }
  }
}

/** A job that has ended stays as it is. */
export const stoppedRedelivery = (job: Redelivery, at: Instant, reason: "requested" | "not_permitted"): Redelivery =>
  job.state._tag === "Running" ? { ...job, state: { _tag: "Stopped", at, reason } } : job
