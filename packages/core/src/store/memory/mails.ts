import type { Instant } from "@tapedeck/domain"
import type { QueuedMail } from "@tapedeck/domain/internal/people"
import type { MailClaim, Store } from "../Store.ts"
import type { MemoryState } from "./MemoryState.ts"
import type { Draft } from "./WorldState.ts"

const put = (draft: Draft, mail: QueuedMail, availableAt: Instant = mail.dueAt): MailClaim => {
  const claim = { mail, fence: draft.count("mail_fence") }
  draft.edit("mails").set(mail.id, { ...claim, availableAt })
  return claim
}

const addMail = (draft: Draft, mail: QueuedMail) => {
  if (!draft.state.mails.has(mail.id)) put(draft, mail)
}

const claimMails = (draft: Draft, now: Instant, limit: number, leaseMs: number): ReadonlyArray<MailClaim> =>
  draft.state.mails
    .valuesArray()
    .filter(({ availableAt }) => availableAt <= now)
    .sort((a, b) => a.availableAt - b.availableAt || a.fence - b.fence)
    .slice(0, limit)
    .map(({ mail }) => put(draft, mail, (now + leaseMs) as Instant))

const isHeld = (draft: Draft, { fence, mail }: MailClaim): boolean => draft.state.mails.get(mail.id)?.fence === fence

const finishMail = (draft: Draft, claim: MailClaim): boolean =>
  isHeld(draft, claim) && draft.edit("mails").delete(claim.mail.id)

const postponeMail = (draft: Draft, claim: MailClaim, mail: QueuedMail): boolean => {
  if (!isHeld(draft, claim)) return false
  put(draft, mail)
  return true
}

/** Mail that waits, in memory. */
export const mailRepository = ({ write, writeAt }: MemoryState): Pick<Store, "mails"> => ({
  mails: {
    add: (mail) => write((draft) => addMail(draft, mail)),
    claim: ({ limit, leaseMs }) => writeAt((draft, now) => claimMails(draft, now, limit, leaseMs)),
    finish: (claim) => write((draft) => finishMail(draft, claim)),
    postpone: (claim, mail) => write((draft) => postponeMail(draft, claim, mail))
  }
})
