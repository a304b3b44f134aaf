import type { User } from "@tapedeck/domain"
import type { LinkPurpose } from "@tapedeck/domain/internal/people"
import type { Mail } from "../../mail/Mailer.ts"

const days = (ms: number): string => {
  const hours = Math.round(ms / 3_600_000)
  if (hours >= 48) return `${Math.round(hours / 24)} days`
  return hours <= 1 ? `${Math.max(1, Math.round(ms / 60_000))} minutes` : `${hours} hours`
}

/** The mail that brings a link to whom it is for. */
export const linkMail = (
  user: Pick<User, "email" | "name">,
  link: { readonly purpose: LinkPurpose; readonly url: string; readonly validMs: number }
): Mail => {
  const good = `It works once, and for ${days(link.validMs)}.`
  return link.purpose === "password"
    ? {
        to: user.email,
        subject: "Set a new password for Tapedeck",
        text: `Hello ${user.name},\n\nwith this link you set a new password for Tapedeck:\n\n${link.url}\n\n${good} If you did not ask for it, leave it: your password stays as it is.\n`
      }
    : {
        to: user.email,
        subject: "You were invited to Tapedeck",
        text: `Hello ${user.name},\n\nyou were invited to Tapedeck. With this link you set your password:\n\n${link.url}\n\n${good}\n`
      }
}
