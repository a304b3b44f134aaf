import { type Mail, type Mailer, MailFailed } from "@tapedeck/core"
import { Effect } from "effect"
import type { Config } from "../config/Config.ts"

/** How long each step of a mail may take; whoever invites waits for it. */
const stepMs = 10_000

const isLocal = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host)

/** Nodemailer's options of a URL: what is sent is encrypted, unless the URL says otherwise or it stays on this machine. */
const optionsOf = (smtpUrl: string) => {
  const url = new URL(smtpUrl)
  const host = url.hostname.replace(/^\[|\]$/g, "")
  const secure = url.protocol === "smtps:"
  const withoutTls = url.search === "?starttls=off"
  return {
    host,
    port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: !secure && !withoutTls && !isLocal(host),
    ignoreTLS: withoutTls,
    ...(url.username !== "" && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
    }),
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    dnsTimeout: stepMs,
    disableFileAccess: true,
    disableUrlAccess: true
  }
}

/** Sends mail by the server that is set; null where none is. Nodemailer is loaded with the first mail. */
export const mailerOf = ({ mail_from, smtp_url }: Pick<Config, "mail_from" | "smtp_url">): typeof Mailer.Service => {
  if (smtp_url === undefined || mail_from === undefined) return null
  const send = async (mail: Mail): Promise<void> => {
    const { createTransport } = await import("nodemailer")
    const transport = createTransport(optionsOf(smtp_url))
    try {
      await transport.sendMail({ from: mail_from, ...mail })
    } finally {
      transport.close()
    }
  }
  return {
    send: (mail) =>
      Effect.tryPromise({ try: () => send(mail), catch: (cause) => new MailFailed({ cause }) }).pipe(
        Effect.timeoutOrElse({
          duration: 2 * stepMs,
          orElse: () => Effect.fail(new MailFailed({ cause: new Error("the mail server did not answer in time") }))
        })
      )
  }
}
