import type { Instant } from "@tapedeck/domain"
import type { FreeSlots, Job, JobKind } from "@tapedeck/domain/internal/jobs"
import type { Effect } from "effect"

/** A job that one worker has claimed. When its lease ends, another worker can claim it, with another fence. */
export interface JobClaim<J extends Job = Job> {
  readonly job: J
  /** Number of the claim. No two claims have the same, not even of a job that was added again. */
  readonly fence: number
}

/** The number of jobs of a kind. */
export interface JobCounts {
  readonly kind: JobKind
  /** Jobs that are not claimed, due or not. */
  readonly waiting: number
  /** Claimed jobs, until their lease ends. */
  readonly claimed: number
  /** Instant since which a job of this kind can be claimed; null if none can. */
  readonly availableAt: Instant | null
}

/** Writes with a claim change nothing and return `false` if it is not the job's last claim. */
export interface JobRepository {
  /** Adds a job. It takes the place of the job of the same id, whose claim is lost. */
  readonly enqueue: (job: Job) => Effect.Effect<void>
  /** Adds a job, unless there is one of the same id. */
  readonly enqueueOnce: (job: Job) => Effect.Effect<void>
  /** Returns the jobs of these ids that exist, in the order of the ids. */
  readonly byIds: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Job>>
  /**
   * Claims jobs that are due, or whose lease has ended, by the store's clock: up to as many of each pool as it has free slots, each from
   * the queue whose turn it is (`nextQueue`), the longest available of the queue first.
   */
  readonly claim: (options: {
    readonly slots: FreeSlots
    readonly leaseMs: number
  }) => Effect.Effect<ReadonlyArray<JobClaim>>
  /** Claims one job, regardless of turns and of other claims of its queue, and also before it is due; undefined if there is none, or another claim holds it. */
  readonly claimById: (id: string, leaseMs: number) => Effect.Effect<JobClaim | undefined>
  /** Renews the lease until `leaseMs` from now. */
  readonly renew: (claim: JobClaim, leaseMs: number) => Effect.Effect<boolean>
  /** Removes the job, which is done or not wanted any more. */
  readonly finish: (claim: JobClaim) => Effect.Effect<boolean>
  /** Returns the job to its queue, with the due time and the tries of `job`. */
  readonly postpone: (claim: JobClaim, job: Job) => Effect.Effect<boolean>
  /** Counts the jobs of each kind that has any, by the store's clock. */
  readonly counts: Effect.Effect<ReadonlyArray<JobCounts>>
  /** Removes jobs, claimed or not. */
  readonly cancel: (ids: ReadonlyArray<string>) => Effect.Effect<void>
}
