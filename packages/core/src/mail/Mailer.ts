import { Context, type Effect, Schema } from "effect"

/** The mail could not be sent; `cause` is for the log. */
export class MailFailed extends Schema.TaggedError<MailFailed>()("MailFailed", { cause: Schema.Defect() }) {
  override get message() {
    return "The mail could not be sent"
  }
}

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The same as HTML. */
  readonly html?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Send = (mail: Mail) => Effect.Effect<void, MailFailed>

/** Sends mail. `send` is null, the default, if mail is not configured. */
export const Mailer = Context.Reference<{ readonly send: Send | null }>("@tapedeck/core/Mailer", {
  defaultValue: () => ({ send: null })
})

/** The result of the first try to send a mail. `failed`: it is tried again. `off`: mail is not configured. */
export type Mailed = "sent" | "failed" | "off"
