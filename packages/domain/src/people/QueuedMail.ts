import * as Schema from "effect/Schema"
import { AccountId, DeliveryId, RecordingUuid, UserId } from "../ids.ts"
import { Instant } from "../time.ts"
import { LinkPurpose } from "./signIn.ts"

/** What users can be mailed about. Each has a switch of its own in the user. */
export const MailSwitch = Schema.Literals(["first_view", "all_recordings", "own_recordings", "failed_deliveries"])
export type MailSwitch = typeof MailSwitch.Type

/** A mail to one user that has not been sent. Its text is made when it is sent, from what the user may see then. */
export const QueuedMail = Schema.Struct({
  /** Made of the switch, the user and the subject, or of the link: an event that is seen twice is one mail. */
  id: Schema.String,
  accountId: AccountId,
  userId: UserId,
  /** Null for a mail with a sign-in link, which is for its user only and has no switch. */
  switch: Schema.NullOr(MailSwitch),
  /** The sign-in link. Its URL is sealed, because it signs in. */
  link: Schema.optionalKey(Schema.Struct({ purpose: LinkPurpose, sealedUrl: Schema.String })),
  /** Null where it is about a delivery without one. */
  recordingUuid: Schema.NullOr(RecordingUuid),
  deliveryId: Schema.NullOr(DeliveryId),
  /** The name of what it is about when it happened: a recording's title, a receiver's name or URL. */
  subject: Schema.NullOr(Schema.String),
  /** Why the delivery failed. */
  reason: Schema.NullOr(Schema.String),
  failedTries: Schema.Natural,
  createdAt: Instant,
  dueAt: Instant
})
export type QueuedMail = typeof QueuedMail.Type

const minuteMs = 60_000

/** The delays after the first to fifth failed try: those of webhooks. A mail is tried at most 6 times, in 15 hours. */
const retryDelaysMs = [1, 5, 30, 120, 720].map((minutes) => minutes * minuteMs)

/** The mail for its next try; null if there is none. */
export const afterFailedMail = (mail: QueuedMail, at: Instant): QueuedMail | null => {
  const delayMs = retryDelaysMs[mail.failedTries]
  return delayMs === undefined ? null : { ...mail, failedTries: mail.failedTries + 1, dueAt: (at + delayMs) as Instant }
}
