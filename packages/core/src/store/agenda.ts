import type { DeliveryId, Instant, MediaJob, RecordingUuid, TranscriptStatus } from "@tapedeck/domain"
import type { Effect } from "effect"

/** A step of a transcript that falls due by time. */
export interface TranscriptStep {
  readonly recordingUuid: RecordingUuid
  readonly at: Instant
  readonly status: TranscriptStatus
}

export interface TranscriptStepRepository {
  readonly add: (step: TranscriptStep) => Effect.Effect<void>
  /** Removes and gives the steps that are due, in due order. */
  readonly take: (limit: number) => Effect.Effect<ReadonlyArray<TranscriptStep>>
}

/** A job that one worker has in hand, until its lease ends; then the next who asks gets it, with another fence. */
export interface MediaClaim {
  readonly job: MediaJob
  /** No two claims ever have the same, nor has a job that was added again. */
  readonly fence: number
}

/** Whatever a claim writes is written only as long as it is the job's last: else nothing is, and the answer is `false`. */
export interface MediaJobRepository {
  /** At most one of a kind for a recording: the one before is replaced, and whoever has it in hand has lost it. */
  readonly add: (job: MediaJob) => Effect.Effect<void>
  readonly ofRecording: (uuid: RecordingUuid) => Effect.Effect<ReadonlyArray<MediaJob>>
  /**
   * Takes up to `limit` jobs that are due, or whose lease has ended, the longest due first. The store's own clock says
   * what is due.
   */
  readonly claim: (options: {
    readonly limit: number
    readonly leaseMs: number
  }) => Effect.Effect<ReadonlyArray<MediaClaim>>
  /** The lease lasts for another `leaseMs` from now. */
  readonly extend: (claim: MediaClaim, leaseMs: number) => Effect.Effect<boolean>
  /** The job is done with. */
  readonly finish: (claim: MediaClaim) => Effect.Effect<boolean>
  /** The job is given back, as it is to go on: `job` says when. */
  readonly postpone: (claim: MediaClaim, job: MediaJob) => Effect.Effect<boolean>
  /** Takes a recording's job away, whoever has it in hand; without a kind, all of them. */
  readonly remove: (uuid: RecordingUuid, kind?: MediaJob["kind"]) => Effect.Effect<void>
}

/** Something that will happen: an attempt's start, the end of one whose result is held, a lease's end, a transcript's step. */
export type Due =
  | { readonly kind: "attempt"; readonly at: Instant; readonly deliveryId: DeliveryId }
  | { readonly kind: "attempt_end"; readonly at: Instant; readonly deliveryId: DeliveryId }
  | { readonly kind: "lease"; readonly at: Instant; readonly deliveryId: DeliveryId }
  | { readonly kind: "transcript"; readonly at: Instant; readonly step: TranscriptStep }

export interface Agenda {
  readonly next: Effect.Effect<Due | undefined>
  /** Everything that will happen, in the order in which it will. */
  readonly list: Effect.Effect<ReadonlyArray<Due>>
  /** Completes at the next commit that puts something on the agenda, or adds a media job. */
  readonly changed: Effect.Effect<void>
}
