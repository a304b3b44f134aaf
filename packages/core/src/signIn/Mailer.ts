import { Context, type Effect, Schema } from "effect"

/** The mail could not be handed over; `cause` is for the log. */
export class MailFailed extends Schema.TaggedError<MailFailed>()("MailFailed", { cause: Schema.Defect() }) {
  override get message() {
    return "The mail could not be sent"
  }
}

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Sends mail; null where none is set up. */
export const Mailer = Context.Reference<{
  readonly send: (mail: Mail) => Effect.Effect<void, MailFailed>
} | null>("@tapedeck/core/Mailer", { defaultValue: () => null })

/** What came of a mail. `off`: none is set up. */
export type Mailed = "sent" | "failed" | "off"
