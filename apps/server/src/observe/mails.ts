import { declareCounter, type Mailer } from "@tapedeck/core"
import { Effect, Metric } from "effect"

const mails = declareCounter(
  "tapedeck_mails_total",
  "Mails that the mail server accepted (`sent`) or that could not be sent (`failed`). Failed mails are retried as jobs",
  { outcome: ["sent", "failed"] }
)

export const mailMetrics = [mails]

/** The mailer, with a count of its mails. */
export const watchMails = ({ send }: typeof Mailer.Service): typeof Mailer.Service => ({
  send:
    send === null
      ? null
      : (mail) =>
          send(mail).pipe(
            Effect.tap(() => Metric.update(mails.of({ outcome: "sent" }), 1)),
            Effect.tapError(() => Metric.update(mails.of({ outcome: "failed" }), 1))
          )
})
