import { isCapturing } from "@tapedeck/domain/capture"
import { Effect } from "effect"
import { jobFields, jobLeaseMs } from "../jobs/JobRunner.ts"
import { inTransaction, storeOf } from "../store/Store.ts"
import { type CaptureClaim, retryCapture } from "./captureJob.ts"
import { closeCapture, completeCapture, enterFolder } from "./finish.ts"

/**
 * Begins the due event of a capture, while the claim holds it. Returns a capture that is to be completed, or `lost`. Inside the
 * transaction.
 */
const begin = Effect.fnUntraced(function* (claim: CaptureClaim) {
  const { captures, jobs } = yield* storeOf("captures", "jobs")
  if (!(yield* jobs.renew(claim, jobLeaseMs))) return "lost" as const
  const capture = yield* captures.byId(claim.job.captureId)
  if (capture !== undefined && isCapturing(capture)) return yield* closeCapture(capture, "FellSilent")
  yield* jobs.finish(claim)
  if (capture !== undefined) yield* enterFolder(capture)
  return undefined
})

const run = Effect.fnUntraced(function* (claim: CaptureClaim) {
  const begun = yield* inTransaction(begin(claim))
  return begun === undefined || begun === "lost" ? begun : yield* completeCapture(begun, claim)
})

/** Runs the due event of a capture. One that fails is due again later, so that it delays no other. */
export const runCaptureJob = (claim: CaptureClaim) =>
  Effect.catchCause(run(claim), (cause) =>
    Effect.andThen(
      Effect.logError(
        "work on a capture failed; retrying",
        { capture_id: claim.job.captureId, ...jobFields(claim) },
        cause
      ),
      Effect.as(retryCapture(claim), "postponed" as const)
    )
  )
