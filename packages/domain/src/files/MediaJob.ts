import * as Schema from "effect/Schema"
import { type AccountId, RecordingUuid } from "../ids.ts"
import { Instant } from "../time.ts"

/**
 * `transcribe` creates segments from speech. `process` determines the duration and creates a thumbnail and a playable file. `trim`
 * cuts the video.
 */
export const MediaJobKind = Schema.Literals(["transcribe", "process", "trim"])
export type MediaJobKind = typeof MediaJobKind.Type

/** A long-running job on the media of a recording. A recording has at most one job of each kind. */
export const MediaJob = Schema.Struct({
  recordingUuid: RecordingUuid,
  kind: MediaJobKind,
  /** The video file of the job. The job is obsolete when the recording no longer has the file. */
  fileId: Schema.String,
  /** Key of the job's queue (`mediaQueueKey`). */
  queueKey: Schema.String,
  /** Maximum length of the video for this job, in seconds; null if only the worker's limit applies. */
  maxSeconds: Schema.NullOr(Schema.Natural),
  /** Number of failed tries. */
  failedTries: Schema.Natural,
  dueAt: Instant
})
export type MediaJob = typeof MediaJob.Type

const MINUTE_MS = 60_000

/** The delays before the second and later tries: 1 minute, then four times the previous delay. */
export const mediaRetryDelays: ReadonlyArray<number> = [1, 4, 16, 64, 256].map((minutes) => minutes * MINUTE_MS)

/** Returns the job after a try that failed at an instant: due again later, or null if it is given up. */
export const afterFailedTry = (job: MediaJob, at: Instant): MediaJob | null => {
  const delayMs = mediaRetryDelays[job.failedTries]
  return delayMs === undefined ? null : { ...job, failedTries: job.failedTries + 1, dueAt: Instant.make(at + delayMs) }
}

/** Returns the key of the queue for jobs that members of an account request, or for captures on one of its sites. */
export const mediaQueueKey = (accountId: AccountId, siteId: string | null): string => `${accountId}:${siteId ?? ""}`

/** A queue of media jobs. */
export interface MediaQueue {
  readonly key: string
  /** Time at which the longest-waiting job became available; null if there is none. */
  readonly availableAt: number | null
  /** Number of claimed jobs of the queue. */
  readonly claimed: number
}

const accountOf = (queueKey: string): string => queueKey.slice(0, queueKey.indexOf(":"))

/** Returns the keys under which the order of claims is recorded: of the account, and of the queue. */
export const mediaClaimKeys = (queueKey: string): readonly [account: string, queue: string] => [
  accountOf(queueKey),
  queueKey
]

/**
 * Returns the queue whose first job is claimed next. A free slot goes to the account with the fewest claimed jobs; on a tie, to the one
 * whose last claim is the oldest. The queue of that account is selected in the same way. `lastClaim` returns the number of the last claim
 * of an account or a queue in the order of all claims; 0 before the first.
 */
export const nextMediaQueue = (
  queues: ReadonlyArray<MediaQueue>,
  lastClaim: (key: string) => number
): MediaQueue | undefined => {
  const claimedOf = new Map<string, number>()
  for (const { claimed, key } of queues) claimedOf.set(accountOf(key), (claimedOf.get(accountOf(key)) ?? 0) + claimed)
  const waiting = queues.flatMap((queue) => {
    const { availableAt, claimed, key } = queue
    if (availableAt === null) return []
    const account = accountOf(key)
    const rank = [claimedOf.get(account)!, lastClaim(account), claimed, lastClaim(key), availableAt]
    return [{ queue, rank }]
  })
  const difference = (a: ReadonlyArray<number>, b: ReadonlyArray<number>) =>
    a.map((value, index) => value - b[index]!).find((value) => value !== 0) ?? 0
  const order = waiting.sort((a, b) => difference(a.rank, b.rank) || (a.queue.key < b.queue.key ? -1 : 1))
  return order[0]?.queue
}
