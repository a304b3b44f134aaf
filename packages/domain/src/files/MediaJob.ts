import * as Schema from "effect/Schema"
import { type AccountId, RecordingUuid } from "../ids.ts"
import { Instant } from "../time.ts"

/**
 * `transcribe` creates segments from speech. `process` determines the duration and creates a thumbnail and a playable file. `trim`
 * cuts the video.
 */
export const MediaJobKind = Schema.Literals(["transcribe", "process", "trim"])
export type MediaJobKind = typeof MediaJobKind.Type

/** Work on a recording's media that takes its time. There is at most one of a kind for a recording. */
export const MediaJob = Schema.Struct({
  recordingUuid: RecordingUuid,
  kind: MediaJobKind,
  /** The video file of the job. The job is obsolete when the recording no longer has the file. */
  fileId: Schema.String,
  /** The queue in which it waits (`mediaQueueKey`). */
  queueKey: Schema.String,
  /** Maximum length of the video for this job; null: the worker's limit alone. */
  maxSeconds: Schema.NullOr(Schema.Natural),
  /** How many tries have failed. */
  failedTries: Schema.Natural,
  dueAt: Instant
})
export type MediaJob = typeof MediaJob.Type

const MINUTE_MS = 60_000

/** The delays before the second try, the third, …: each four times the one before, from a minute on. */
export const mediaRetryDelays: ReadonlyArray<number> = [1, 4, 16, 64, 256].map((minutes) => minutes * MINUTE_MS)

/** The job after a try that failed `at`: due again later, or null when it is given up. */
export const afterFailedTry = (job: MediaJob, at: Instant): MediaJob | null => {
  const delayMs = mediaRetryDelays[job.failedTries]
  return delayMs === undefined ? null : { ...job, failedTries: job.failedTries + 1, dueAt: Instant.make(at + delayMs) }
}

/** The queue of what the members of an account order, or of what is captured on one of its sites. */
export const mediaQueueKey = (accountId: AccountId, siteId: string | null): string => `${accountId}:${siteId ?? ""}`

/** A queue of media jobs. */
export interface MediaQueue {
  readonly key: string
  /** When the job that has waited longest became available; null if none is. */
  readonly availableAt: number | null
  /** Number of its jobs that workers have claimed. */
  readonly claimed: number
}

const accountOf = (queueKey: string): string => queueKey.slice(0, queueKey.indexOf(":"))

/** The keys for which a claim counts as the last one: its account's and its queue's. */
export const mediaClaimKeys = (queueKey: string): readonly [account: string, queue: string] => [
  accountOf(queueKey),
  queueKey
]

/**
 * The queue whose first job is claimed next. A free slot goes to the account with the fewest claimed jobs, of several to the one
 * whose last claim is the oldest; among the queues of that account in the same way. `lastClaim` gives the number of the last claim of
 * an account or a queue in the order of all claims, 0 before the first.
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
