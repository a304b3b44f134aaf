/** Jobs: mails, media, steps of transcripts and redeliveries. Internal to the packages of Tapedeck: any release may change it. */

export {
  afterFailedTry,
  CaptureJob,
  Job,
  type JobKind,
  type JobOf,
  JobPool,
  jobIds,
  jobKinds,
  MailJob,
  MailSwitch,
  MediaJob,
  MediaJobKind,
  mailSubjectOf,
  RedeliveryJob,
  RepeatingJob,
  repeatedAfterMs,
  SummaryJob,
  TranscriptJob
} from "../jobs/Job.ts"
export {
  claimKeysOf,
  type FreeSlots,
  isSerialQueue,
  type JobQueue,
  nextQueue,
  poolOfQueue,
  queueKeyOf,
  siteOfQueue
} from "../jobs/queues.ts"
