import * as Schema from "effect/Schema"
import { AccountId, AutomationId, DestinationId, RecordingUuid, RedeliveryId, UserId } from "../ids.ts"
import { Instant } from "../time.ts"

/** Filter of the deliveries to send again. A delivery must match all fields that are set. */
export const RedeliveryFilter = Schema.Struct({
  state: Schema.optionalKey(
    Schema.Literals(["Scheduled", "Attempting", "Waiting", "Delivered", "PermanentlyFailed", "Cancelled", "Skipped"])
  ),
  automationId: Schema.optionalKey(AutomationId),
  destinationId: Schema.optionalKey(DestinationId),
  recordingUuid: Schema.optionalKey(RecordingUuid),
  event: Schema.optionalKey(Schema.String),
  /** HTTP status of one of the delivery's attempts. */
  statusCode: Schema.optionalKey(Schema.Int),
  /** Start of the period of creation, inclusive. */
  since: Schema.optionalKey(Instant),
  /** End of the period of creation, exclusive. */
  until: Schema.optionalKey(Instant)
})
export type RedeliveryFilter = typeof RedeliveryFilter.Type

const Running = Schema.TaggedStruct("Running", { dueAt: Instant })
const Finished = Schema.TaggedStruct("Finished", { at: Instant })
/** The redelivery was stopped. `not_permitted`: the user who started it is no longer an admin. */
const Stopped = Schema.TaggedStruct("Stopped", {
  at: Instant,
  reason: Schema.Literals(["requested", "not_permitted"])
})

/** A job that sends the deliveries that match a filter again, newest first, at a limited rate. */
export const Redelivery = Schema.Struct({
  id: RedeliveryId,
  accountId: AccountId,
  /** The admin who started the job, which runs with their permissions. */
  userId: UserId,
  createdAt: Instant,
  filter: RedeliveryFilter,
  /** Maximum number of deliveries to send again. */
  limit: Schema.Int,
  /** Maximum number of deliveries per second. */
  rate: Schema.Int,
  /** Number of deliveries that matched at the start, up to the limit of counting. */
  count: Schema.Natural,
  isExact: Schema.Boolean,
  /** Position of the last examined delivery in the order of creation, newest first. The job continues after it. */
  place: Schema.Int,
  redelivered: Schema.Natural,
  /** Number of matching deliveries that were skipped: send-tests, disabled or deleted receivers, and payloads that were too large. */
  skipped: Schema.Natural,
  state: Schema.Union([Running, Finished, Stopped])
})
export type Redelivery = typeof Redelivery.Type

/** Result of one step of a redelivery. */
export interface RedeliveryStep {
  readonly at: Instant
  readonly redelivered: number
  readonly skipped: number
  /** Position of the delivery after which the search continues; null if there are no more. */
  readonly next: number | null
}

/** Maximum number of deliveries of one step, which is one transaction. */
const maxStep = 25

/** Returns the maximum number of deliveries of the next step. */
export const redeliveryStepSize = ({ limit, rate, redelivered, skipped }: Redelivery): number =>
  Math.min(maxStep, rate, limit - redelivered - skipped)

/** Returns the job after a step: finished, or due when the rate permits the next step. */
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

/** Returns the stopped job. A job that has ended does not change. */
export const stoppedRedelivery = (job: Redelivery, at: Instant, reason: "requested" | "not_permitted"): Redelivery =>
  job.state._tag === "Running" ? { ...job, state: { _tag: "Stopped", at, reason } } : job
