import type { Recording } from "@tapedeck/domain"
import { withWork } from "@tapedeck/domain/internal/files"
import { jobIds } from "@tapedeck/domain/internal/jobs"
import { Effect } from "effect"
import { endMediaWork } from "../../files/media/MediaWork.ts"
import type { Caller } from "../../people/Caller.ts"
import { countTries, uncountTries } from "../../people/signIn/tries.ts"
import { type Store, storeOf } from "../../store/Store.ts"
import { summaryCounts } from "./summaryLimits.ts"

const isProcessing = ({ work }: Recording): boolean => work?.summarize?.state === "processing"

/**
 * Runs a write of the recording's transcript. The generation that it may start counts as a request for texts; beyond the limits, the write
 * runs with false and starts none. A write that fails, or starts none, is not counted.
 */
export const countedWrite = Effect.fnUntraced(function* <Written extends { readonly recording: Recording }, E, R>(
  store: Pick<Store, "tryWindows">,
  caller: Caller,
  recording: Recording,
  write: (mayStart: boolean) => Effect.Effect<Written, E, R>
) {
  const counts = summaryCounts(caller, recording)
  const { isLetThrough } = yield* countTries(store, counts)
  if (!isLetThrough) return yield* write(false)
  const uncount = uncountTries(store, counts)
  const written = yield* Effect.tapError(write(true), () => uncount)
  // A write that finds a generation in progress starts it again: one that leaves none has started none.
  if (!isProcessing(written.recording)) yield* uncount
  return written
})

/**
 * Ends a generation in progress, because its transcript was written and the limits allow no new one; returns the recording as it is then.
 * Its result is dropped, and earlier texts stay. Inside the transaction.
 */
export const endSummary = Effect.fnUntraced(function* (recording: Recording) {
  if (!isProcessing(recording)) return recording
  const { jobs } = yield* storeOf("jobs")
  yield* jobs.cancel([jobIds.summary(recording.uuid)])
  yield* endMediaWork({ jobs }, recording.uuid)
  return withWork(recording, "summarize", {
    state: "given_up",
    problem: "the transcript was changed, and the limit of requests in an hour was reached"
  })
})
