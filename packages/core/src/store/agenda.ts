import type { AccountId, DeliveryId, Instant, RecordingUuid, RedeliveryId, TranscriptStatus } from "@tapedeck/domain"
import type { Redelivery } from "@tapedeck/domain/internal/delivery"
import type { MediaJob } from "@tapedeck/domain/internal/files"
import type { QueuedMail } from "@tapedeck/domain/internal/people"
import type { Effect } from "effect"

/** A step of a transcript, which is due at an instant. */
export interface TranscriptStep {
  readonly recordingUuid: RecordingUuid
  readonly at: Instant
  readonly status: TranscriptStatus
}

export interface TranscriptStepRepository {
  readonly add: (step: TranscriptStep) => Effect.Effect<void>
  /** Removes and returns the steps that are due, in due order. Belongs in the transaction that applies them. */
  readonly take: (limit: number) => Effect.Effect<ReadonlyArray<TranscriptStep>>
}

/** A job that one worker has claimed. When its lease ends, another worker can claim it, with another fence. */
export interface MediaClaim {
  readonly job: MediaJob
  /** Number of the claim. No two claims have the same, not even of a job that was added again. */
  readonly fence: number
}

/** Writes with a claim change nothing and return `false` if it is not the job's last claim. */
export interface MediaJobRepository {
  /** Adds a job. A recording has at most one job of a kind: the new job replaces the previous one, whose claim is lost. */
  readonly add: (job: MediaJob) => Effect.Effect<void>
  readonly ofRecording: (uuid: RecordingUuid) => Effect.Effect<ReadonlyArray<MediaJob>>
  /**
   * Claims up to `limit` jobs that are due, or whose lease has ended, by the store's clock: each from the queue whose turn it is
   * (`nextMediaQueue`), the longest due of the queue first.
   */
  readonly claim: (options: {
    readonly limit: number
    readonly leaseMs: number
  }) => Effect.Effect<ReadonlyArray<MediaClaim>>
  /** Renews the lease until `leaseMs` from now. */
  readonly extend: (claim: MediaClaim, leaseMs: number) => Effect.Effect<boolean>
  /** Removes the job, which is done. */
  readonly finish: (claim: MediaClaim) => Effect.Effect<boolean>
  /** Returns the job to the queue, with the due time and the tries of `job`. */
  readonly postpone: (claim: MediaClaim, job: MediaJob) => Effect.Effect<boolean>
  /** Removes a recording's job, claimed or not; without a kind, all of them. */
  readonly remove: (uuid: RecordingUuid, kind?: MediaJob["kind"]) => Effect.Effect<void>
}

/** A mail that one worker has claimed. When its lease ends, another worker can claim it, with another fence. */
export interface MailClaim {
  readonly mail: QueuedMail
  readonly fence: number
}

/** Mails to send. Writes with a claim change nothing and return `false` if it is not the mail's last claim. */
export interface MailRepository {
  /** Changes nothing if there is one of the same id. */
  readonly add: (mail: QueuedMail) => Effect.Effect<void>
  /** Claims up to `limit` mails that are due, or whose lease has ended, by the store's clock; the longest due first. */
  readonly claim: (options: {
    readonly limit: number
    readonly leaseMs: number
  }) => Effect.Effect<ReadonlyArray<MailClaim>>
  /** Removes the mail, which is sent or not wanted any more. */
  readonly finish: (claim: MailClaim) => Effect.Effect<boolean>
  /** Returns the mail to the queue, with the due time and the tries of `mail`. */
  readonly postpone: (claim: MailClaim, mail: QueuedMail) => Effect.Effect<boolean>
}

export interface RedeliveryRepository {
  readonly byId: (id: RedeliveryId) => Effect.Effect<Redelivery | undefined>
  /** The newest first. */
  readonly ofAccount: (id: AccountId) => Effect.Effect<ReadonlyArray<Redelivery>>
  /** The running job whose step is due by the store's clock; of several, the longest due. */
  readonly due: Effect.Effect<Redelivery | undefined>
  /** Writes the job, and its next step on the agenda. */
  readonly save: (redelivery: Redelivery) => Effect.Effect<void>
  readonly remove: (id: RedeliveryId) => Effect.Effect<void>
}

/**
 * An entry of the agenda: the start of an attempt, the end of one whose result is held, the end of a lease, a transcript's step, a
 * redelivery's step, what is due of a capture.
 */
export type Due =
  | { readonly kind: "attempt"; readonly at: Instant; readonly deliveryId: DeliveryId }
  | { readonly kind: "attempt_end"; readonly at: Instant; readonly deliveryId: DeliveryId }
  | { readonly kind: "lease"; readonly at: Instant; readonly deliveryId: DeliveryId }
  | { readonly kind: "transcript"; readonly at: Instant; readonly step: TranscriptStep }
  | { readonly kind: "redelivery"; readonly at: Instant; readonly redeliveryId: RedeliveryId }
  | {
      readonly kind: "capture"
      readonly at: Instant
      readonly captureId: string
      readonly recordingUuid: RecordingUuid
    }

export interface Agenda {
  readonly next: Effect.Effect<Due | undefined>
  /** All entries in order. */
  readonly list: Effect.Effect<ReadonlyArray<Due>>
  /** Completes at the next commit that adds an entry, a media job or a mail. */
  readonly changed: Effect.Effect<void>
}
