import * as Schema from "effect/Schema"
import { AccountId, DeliveryId, RecordingUuid, RedeliveryId, UserId } from "../ids.ts"
import { LinkPurpose } from "../people/signIn.ts"
import { Instant } from "../time.ts"
import { TranscriptStatus } from "../transcript/Transcript.ts"

/** Subjects of mails to users. A user has a setting for each. */
export const MailSwitch = Schema.Literals(["first_view", "all_recordings", "own_recordings", "failed_deliveries"])
export type MailSwitch = typeof MailSwitch.Type

/** The fields that jobs of all kinds have. */
const common = {
  /** Id, derived from the subject of the job, so that there is at most one job for it (`jobIds`). */
  id: Schema.String,
  /** Key of the job's queue (`queueKeyOf`). */
  queueKey: Schema.String,
  failedTries: Schema.Natural,
  dueAt: Instant
}

/** A mail to a user. Its text is rendered when it is sent, from the data that the user can see then. */
export const MailJob = Schema.Struct({
  ...common,
  kind: Schema.Literal("mail"),
  accountId: AccountId,
  userId: UserId,
  /** Setting of the mail; null for a mail with a sign-in link, which cannot be disabled. */
  switch: Schema.NullOr(MailSwitch),
  /** Sign-in link of the mail. Its URL is encrypted, because it signs in. */
  link: Schema.optionalKey(Schema.Struct({ purpose: LinkPurpose, sealedUrl: Schema.String })),
  /** Recording of the mail; null for none. */
  recordingUuid: Schema.NullOr(RecordingUuid),
  deliveryId: Schema.NullOr(DeliveryId),
  /** Name of the subject at the time of the event: the title of a recording, or the name or URL of a receiver. */
  subject: Schema.NullOr(Schema.String),
  /** Reason why the delivery failed. */
  reason: Schema.NullOr(Schema.String),
  createdAt: Instant
})
export type MailJob = typeof MailJob.Type

/**
 * `transcribe` creates segments from speech. `process` determines the duration and creates a thumbnail and a playable file. `trim`
 * cuts the video.
 */
export const MediaJobKind = Schema.Literals(["transcribe", "process", "trim"])
export type MediaJobKind = typeof MediaJobKind.Type

/** A long-running job on the media of a recording. A recording has at most one job of each kind. */
export const MediaJob = Schema.Struct({
  ...common,
  kind: MediaJobKind,
  recordingUuid: RecordingUuid,
  /** The video file of the job. The job is obsolete when the recording no longer has the file. */
  fileId: Schema.String,
  /** Maximum length of the video for this job, in seconds; null if only the worker's limit applies. */
  maxSeconds: Schema.NullOr(Schema.Natural)
})
export type MediaJob = typeof MediaJob.Type

/** The generation of title, summary and chapters from the transcript of a recording. A recording has at most one. */
export const SummaryJob = Schema.Struct({ ...common, kind: Schema.Literal("summarize"), recordingUuid: RecordingUuid })
export type SummaryJob = typeof SummaryJob.Type

/** A step of a transcript that follows a script: the transcript gets the status. */
export const TranscriptJob = Schema.Struct({
  ...common,
  kind: Schema.Literal("transcript"),
  recordingUuid: RecordingUuid,
  status: TranscriptStatus
})
export type TranscriptJob = typeof TranscriptJob.Type

/**
 * The next event of a capture that nothing prevents: an open one is abandoned, a closed one is completed, and the recording of a complete
 * one enters its folder.
 */
export const CaptureJob = Schema.Struct({
  ...common,
  kind: Schema.Literal("capture"),
  captureId: Schema.String,
  recordingUuid: RecordingUuid
})
export type CaptureJob = typeof CaptureJob.Type

/** The next step of a running redelivery. */
export const RedeliveryJob = Schema.Struct({
  ...common,
  kind: Schema.Literal("redelivery"),
  redeliveryId: RedeliveryId
})
export type RedeliveryJob = typeof RedeliveryJob.Type

/**
 * Work for all accounts that repeats for ever. `retention` removes records that have reached their maximum age; `sweep` removes expired
 * uploads.
 */
export const RepeatingJob = Schema.Struct({ ...common, kind: Schema.Literals(["retention", "sweep"]) })
export type RepeatingJob = typeof RepeatingJob.Type

/** Work that happens later. Deliveries have a queue of their own. */
export const Job = Schema.Union([MailJob, MediaJob, SummaryJob, TranscriptJob, RedeliveryJob, CaptureJob, RepeatingJob])
export type Job = typeof Job.Type
export type JobKind = Job["kind"]

/** The jobs of a kind. */
export type JobOf<Kind extends JobKind, J extends Job = Job> = J extends Job
  ? Kind extends J["kind"]
    ? J & { readonly kind: Kind }
    : never
  : never

/** The ids of jobs, each unique among all jobs. An id begins with the kind of its job. */
export const jobIds = {
  /** `subject` identifies the event, so that a repeated event causes one mail. */
  mail: (subject: string) => `mail ${subject}`,
  media: (kind: MediaJobKind, uuid: RecordingUuid) => `${kind} ${uuid}`,
  summary: (uuid: RecordingUuid) => `summarize ${uuid}`,
  transcript: (uuid: RecordingUuid, step: number) => `transcript ${uuid} ${step}`,
  redelivery: (id: RedeliveryId) => `redelivery ${id}`,
  capture: (id: string) => `capture ${id}`,
  /** The job that waits for the end of the work on a recording's media, which makes it due. */
  afterMedia: (uuid: RecordingUuid) => `capture after media ${uuid}`
}

/** Returns what identifies the event of a mail. */
export const mailSubjectOf = ({ id }: MailJob): string => id.slice(jobIds.mail("").length)

/** The jobs of a pool share slots, and wait for no job of another pool. */
export const JobPool = Schema.Literals(["mail", "media", "capture", "step", "upkeep"])
export type JobPool = typeof JobPool.Type

const minutes = (all: ReadonlyArray<number>): ReadonlyArray<number> => all.map((minute) => minute * 60_000)

/** The same delays as for webhooks: a mail is tried at most 6 times, in 15 hours. */
const mail = { pool: "mail", retryDelaysMs: minutes([1, 5, 30, 120, 720]) } as const

/** After the first minute, four times the previous delay. */
const media = { pool: "media", retryDelaysMs: minutes([1, 4, 16, 64, 256]) } as const

/** A step writes to the store alone: it fails only with the store, and is then tried again when its lease ends. */
const step = { pool: "step", retryDelaysMs: [] } as const

/** A capture is tried again until it is complete: its data must not be lost. */
const capture = { pool: "capture", retryDelaysMs: [] } as const

const upkeep = { pool: "upkeep", retryDelaysMs: [] } as const

/** The pool of each kind of job, and the delays before its second and later tries. */
export const jobKinds: Readonly<
  Record<JobKind, { readonly pool: JobPool; readonly retryDelaysMs: ReadonlyArray<number> }>
> = {
  mail,
  transcribe: media,
  process: media,
  trim: media,
  summarize: media,
  transcript: step,
  redelivery: step,
  capture,
  retention: upkeep,
  sweep: upkeep
}

/** Minimum interval between the end of a job that repeats and its next run. */
export const repeatedAfterMs: Readonly<Record<RepeatingJob["kind"], number>> = {
  retention: 10 * 60_000,
  sweep: 10 * 60_000
}

/** Returns the job after a try that failed at an instant: due again later, or null if it is given up. */
export const afterFailedTry = <J extends Job>(job: J, at: Instant): J | null => {
  const delayMs = jobKinds[job.kind].retryDelaysMs[job.failedTries]
  return delayMs === undefined ? null : { ...job, failedTries: job.failedTries + 1, dueAt: Instant.make(at + delayMs) }
}
