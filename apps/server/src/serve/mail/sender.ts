import { type MailClaim, Mailer, Outbox, storeOf } from "@tapedeck/core"
import { Effect, Fiber } from "effect"

/** Maximum number of concurrent mails of one process. */
const concurrency = 4

/** Poll interval, for due retries and for expired leases, which notify no worker. */
const pollMs = 5_000

/** Minimum time between two claims, because deliveries change the agenda all the time. */
const pauseMs = 250

/** Sends the mails of the outbox until it is interrupted. Then it gives those in flight back, so that another worker sends them. */
export const mailSender = Effect.gen(function* () {
  const store = yield* storeOf("agenda", "mails")
  const outbox = yield* Outbox
  const { send: sendMail } = yield* Mailer
  if (sendMail === null) return

  const send = Effect.fnUntraced(function* (claim: MailClaim) {
    const mail = yield* outbox.compose(claim.mail)
    if (mail !== null) yield* sendMail(mail)
    yield* outbox.finish(claim)
  })

  const sendOrRetry = (claim: MailClaim) =>
    send(claim).pipe(
      Effect.onInterrupt(() => store.mails.postpone(claim, claim.mail)),
      Effect.catchTag("MailFailed", ({ cause }) =>
        Effect.flatMap(outbox.failed(claim), (isRetried) =>
          isRetried
            ? Effect.logWarning("sending a mail failed; retrying later", cause)
            : Effect.logError("sending a mail failed; giving up", cause)
        )
      )
    )

  const sendDue = Effect.gen(function* () {
    for (;;) {
      const claims = yield* outbox.claim(concurrency)
      if (claims.length === 0) return
      yield* Effect.forEach(claims, sendOrRetry, { concurrency: "unbounded", discard: true })
    }
  }).pipe(Effect.catchCause((cause) => Effect.logError("store call failed; retrying to send mails", cause)))

  return yield* Effect.forever(
    Effect.gen(function* () {
      const changed = yield* Effect.forkChild(store.agenda.changed, { startImmediately: true })
      yield* sendDue
      yield* Effect.raceFirst(Effect.sleep(pollMs), Fiber.join(changed))
      yield* Fiber.interrupt(changed)
      yield* Effect.sleep(pauseMs)
    })
  )
})
