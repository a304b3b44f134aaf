import type { Mail } from "@tapedeck/core"
import { type MailJob, mailSubjectOf } from "@tapedeck/domain/internal/jobs"
import { toIso } from "../clock/iso.ts"
import type { MailView } from "../control/schemas.ts"

/** Maximum number of mails that a world keeps after they are sent, and that a list contains: the newest. */
export const maxListed = 1_000

/** A mail in the control plane; null for one that is not sent, and for sign-in links, which are secrets. */
export const mailViewOf = (
  job: MailJob,
  mail: Mail | null,
  state: MailView["state"],
  tries: number
): MailView | null => {
  if (mail === null || job.switch === null) return null
  const { headers = {}, html = "" } = mail
  return {
    id: mailSubjectOf(job),
    at: toIso(job.createdAt),
    state,
    tries,
    switch: job.switch,
    ...mail,
    headers,
    html,
    recording: job.recordingUuid,
    delivery: job.deliveryId
  }
}
