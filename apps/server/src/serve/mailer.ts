import { connect, isIP, type Socket } from "node:net"
import { type Mail, type Mailer, MailFailed } from "@tapedeck/core"
import { Effect } from "effect"
import type { Config } from "../config/Config.ts"

/** Maximum time of each step of sending a mail. */
const stepMs = 10_000

const isLocal = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host)

/** Nodemailer's options for a URL. Encrypted, unless the URL says otherwise or the server is on this machine. */
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

/** A host as it greets another one (RFC 5321 §4.1.3). The machine's own name, Nodemailer's default, is often no name that servers accept. */
const greetingNameOf = (publicUrl: string): string => {
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, "")
  return isIP(host) === 0 ? host : `[${isIP(host) === 6 ? "IPv6:" : ""}${host}]`
}

/** Sends mail with the configured server, if one is set. Loads Nodemailer with the first mail. */
export const mailerOf = (
  { mail_from, smtp_name, smtp_url }: Pick<Config, "mail_from" | "smtp_name" | "smtp_url">,
  publicUrl: string
): typeof Mailer.Service => {
  if (smtp_url === undefined || mail_from === undefined) return { send: null }
  const send = async (mail: Mail, signal: AbortSignal): Promise<void> => {
    const { createTransport } = await import("nodemailer")
    const options = { ...optionsOf(smtp_url), name: smtp_name ?? greetingNameOf(publicUrl) }
    // An own socket can be closed while a mail is sent, which Nodemailer has no call for.
    const socket = connect({ host: options.host, port: options.port, signal })
    const getSocket = (_: unknown, done: (error: Error | null, made?: { connection: Socket }) => void) => {
      socket.once("error", done)
      socket.once("timeout", () => socket.destroy(new Error("the mail server did not accept a connection in time")))
      socket.setTimeout(stepMs)
      socket.once("connect", () => {
        socket.setTimeout(0)
        // Nodemailer handles further errors. Errors after its end do not matter.
        socket.off("error", done).on("error", () => {})
        done(null, { connection: socket })
      })
    }
    try {
      await createTransport({ ...options, getSocket }).sendMail({
        from: mail_from,
        ...mail,
        to: { name: "", address: mail.to }
      })
    } finally {
      socket.destroy()
    }
  }
  return {
    send: (mail) =>
      Effect.tryPromise({ try: (signal) => send(mail, signal), catch: (cause) => new MailFailed({ cause }) }).pipe(
        Effect.timeoutOrElse({
          duration: 2 * stepMs,
          orElse: () => Effect.fail(new MailFailed({ cause: new Error("the mail server did not respond in time") }))
        })
      )
  }
}
