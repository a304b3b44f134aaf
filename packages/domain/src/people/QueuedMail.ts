import * as Schema from "effect/Schema"
import { AccountId, DeliveryId, RecordingUuid, UserId } from "../ids.ts"
import { Instant } from "../time.ts"
import { LinkPurpose } from "./signIn.ts"

/** Subjects of mails to users. A user has a setting for each. */
export const MailSwitch = Schema.Literals(["first_view", "all_recordings", "own_recordings", "failed_deliveries"])
export type MailSwitch = typeof MailSwitch.Type

/** A mail to a user that has not been sent. Its text is rendered when it is sent, from the data that the user can see then. */
export const QueuedMail = Schema.Struct({
  /** Id, derived from the switch, the user and the subject, or from the link, so that a repeated event causes one mail. */
  id: Schema.String,
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
  failedTries: Schema.Natural,
  createdAt: Instant,
  dueAt: Instant
})
export type QueuedMail = typeof QueuedMail.Type

const minuteMs = 60_000

/** The delays after the first to fifth failed try, the same as for webhooks. A mail is tried at most 6 times, in 15 hours. */
const retryDelaysMs = [1, 5, 30, 120, 720].map((minutes) => minutes * minuteMs)

/** Returns the mail for its next try; null if there is none. */
export const afterFailedMail = (mail: QueuedMail, at: Instant): QueuedMail | null => {
  const delayMs = retryDelaysMs[mail.failedTries]
  return delayMs === undefined ? null : { ...mail, failedTries: mail.failedTries + 1, dueAt: (at + delayMs) as Instant }
}
