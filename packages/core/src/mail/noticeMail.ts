import type { User } from "@tapedeck/domain"
import type { MailJob, MailSwitch } from "@tapedeck/domain/internal/jobs"
import type { Mail } from "./Mailer.ts"

/** Targets of a mail's links. */
export interface MailLinks {
  /** Page of the subject in the console. */
  readonly page: string
  /** The link that turns this kind of mail off. */
  readonly off: string
}

const maxSubject = 150

/** Returns the text on one line, without control characters; bidirectional ones too, which could reorder the words around it. */
const line = (text: string): string => {
  const plain = text
    .replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu, " ")
    .replace(/ {2,}/g, " ")
    .trim()
  return plain.length > maxSubject ? `${plain.slice(0, maxSubject - 1)}…` : plain
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char] ?? char)

/** Content of a notice, and the setting that disables it. */
interface Notice extends Pick<MailJob, "reason" | "subject"> {
  readonly switch: MailSwitch
}

/** Writes what a person or another server wrote into a sentence. */
type Quote = (text: string) => string

const plain: Quote = (text) => text

/** Keeps the text's own writing direction, so that it does not reorder the words around it. */
const isolated: Quote = (text) => `<span dir="auto">${escaped(text)}</span>`

const content = ({ reason, subject, switch: mailSwitch }: Notice) => {
  const title = line(subject ?? "") || "Untitled recording"
  const receiver = line(subject ?? "") || "a removed receiver"
  switch (mailSwitch) {
    case "first_view":
      return {
        subject: `First view: ${title}`,
        text: (quote: Quote) => `Your recording “${quote(title)}” was viewed for the first time.`,
        link: "Open the recording",
        off: "Turn off mail about first views"
      }
    case "all_recordings":
      return {
        subject: `New recording: ${title}`,
        text: (quote: Quote) => `A recording came in: “${quote(title)}”.`,
        link: "Open the recording",
        off: "Turn off mail about all recordings"
      }
    case "own_recordings":
      return {
        subject: `Your new recording: ${title}`,
        text: (quote: Quote) => `A recording of yours came in: “${quote(title)}”.`,
        link: "Open the recording",
        off: "Turn off mail about your recordings"
      }
    case "failed_deliveries":
      return {
        subject: `Webhook failed: ${receiver}`,
        text: (quote: Quote) =>
          `A delivery to ${quote(receiver)} has failed for good: ${quote(line(reason ?? ""))}. You get at most one such mail an hour for each receiver.`,
        link: "Open the delivery",
        off: "Turn off mail about failed deliveries"
      }
  }
}

/** The mail as text and HTML, with the headers by which a mail program turns such mail off (RFC 2369, RFC 8058). */
export const noticeMail = (
  mail: Notice,
  user: Pick<User, "email" | "name">,
  { off, page }: MailLinks
): Required<Mail> => {
  const { link, off: offLabel, subject, text } = content(mail)
  const hello = (quote: Quote) => `Hello ${quote(line(user.name))},`
  return {
    to: user.email,
    subject,
    text: `${hello(plain)}\n\n${text(plain)}\n\n${link}: ${page}\n\n-- \n${offLabel}: ${off}\n`,
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title dir="auto">${escaped(subject)}</title></head>
<body style="font-family:sans-serif;line-height:1.5">
<p>${hello(isolated)}</p>
<p>${text(isolated)}</p>
<p><a href="${escaped(page)}">${link}</a></p>
<p style="color:#666;font-size:.85em"><a href="${escaped(off)}" style="color:#666">${offLabel}</a></p>
</body></html>
`,
    headers: { "List-Unsubscribe": `<${off}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }
  }
}
