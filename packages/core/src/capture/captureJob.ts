import type { Instant } from "@tapedeck/domain"
import { type Capture, isClosed } from "@tapedeck/domain/capture"
import { type CaptureJob, jobIds, queueKeyOf } from "@tapedeck/domain/internal/jobs"
import { Effect, Schema } from "effect"
import { jobLeaseMs } from "../jobs/JobRunner.ts"
import { now } from "../now.ts"
import type { JobClaim } from "../store/jobs.ts"
import { storeOf } from "../store/Store.ts"
import { CaptureRefused } from "./errors.ts"
import { captureIdleMs } from "./limits.ts"

export type CaptureClaim = JobClaim<CaptureJob>

/** Time that a failed completion waits for the next try. A request to finish the capture does not wait. */
const retryDelayMs = 60_000

/** The open capture as it is now. */
export const openCapture = Effect.fnUntraced(function* (id: string) {
  const { captures } = yield* storeOf("captures")
  const capture = yield* captures.byId(id)
  return capture?.state === "open" ? capture : yield* new CaptureRefused()
})

/** Another process has claimed the capture, or it was removed. */
export class ClaimLost extends Schema.TaggedError<ClaimLost>()("ClaimLost", {}) {
  override get message() {
    return "The capture's completion was claimed by another process"
  }
}

/** Schedules the next event of a capture. It takes the place of the one before, whose claim is lost. Inside the transaction. */
export const scheduleCapture = Effect.fnUntraced(function* (
  { accountId, id, recordingUuid, siteId }: Capture,
  delayMs: number,
  jobId = jobIds.capture(id)
) {
  const { jobs } = yield* storeOf("jobs")
  yield* jobs.enqueue({
    kind: "capture",
    id: jobId,
    queueKey: queueKeyOf("capture", accountId, siteId),
    captureId: id,
    recordingUuid,
    failedTries: 0,
    dueAt: ((yield* now) + delayMs) as Instant
  })
})

/** Delays the end of an open capture after a sign of life. Inside the transaction. */
export const keepAlive = (capture: Capture) => scheduleCapture(capture, captureIdleMs)

/** Claims the completion of a closed capture; undefined: another process has it, or nothing is to be completed. Inside the transaction. */
export const claimCapture = Effect.fnUntraced(function* (id: string) {
  const { captures, jobs } = yield* storeOf("captures", "jobs")
  const capture = yield* captures.byId(id)
  if (capture === undefined || !isClosed(capture)) return undefined
  const claim = yield* jobs.claimById(jobIds.capture(id), jobLeaseMs)
  return claim && { capture, claim: claim as CaptureClaim }
})

/** `renew` renews the claim if a third of its lease has passed. */
export const leaseRenewal = Effect.fnUntraced(function* (claim: CaptureClaim) {
  const { jobs } = yield* storeOf("jobs")
  const renewal = { at: yield* now }
  const renewInTime = Effect.gen(function* () {
    const at = yield* now
    if (at - renewal.at < jobLeaseMs / 3) return
    if (!(yield* jobs.renew(claim, jobLeaseMs))) return yield* new ClaimLost()
    renewal.at = at
  })
  return { renew: renewInTime }
})

/** Returns a failed capture to the queue, unless the claim was lost. */
export const retryCapture = Effect.fnUntraced(function* (claim: CaptureClaim) {
  const { jobs } = yield* storeOf("jobs")
  const { job } = claim
  const dueAt = ((yield* now) + retryDelayMs) as Instant
  yield* jobs.postpone(claim, { ...job, failedTries: job.failedTries + 1, dueAt })
})
