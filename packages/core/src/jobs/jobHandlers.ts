import { Effect } from "effect"
import { CaptureSessions } from "../capture/CaptureSessions.ts"
import { Redeliveries } from "../deliveries/Redeliveries.ts"
import { type MailTry, Outbox } from "../mail/Outbox.ts"
import { Transcripts } from "../recordings/Transcripts.ts"
import type { JobHandlers, UnfinishedJob } from "./JobRunner.ts"

const unfinished: { readonly [Outcome in MailTry["outcome"]]?: UnfinishedJob } = {
  failure: "postponed",
  given_up: "given_up"
}

/** The handlers of the jobs that need nothing but the store and the mail server. */
export const jobHandlers = Effect.gen(function* () {
  const captures = yield* CaptureSessions
  const outbox = yield* Outbox
  const redeliveries = yield* Redeliveries
  const transcripts = yield* Transcripts
  return {
    capture: captures.runJob,
    mail: (claim) => Effect.map(outbox.deliver(claim), ({ outcome }) => unfinished[outcome]),
    transcript: (claim) => Effect.asVoid(transcripts.runStep(claim)),
    redelivery: redeliveries.runStep
  } satisfies JobHandlers
})
