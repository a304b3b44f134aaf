import { Effect } from "effect"
import { CaptureSessions } from "../capture/CaptureSessions.ts"
import { Redeliveries } from "../deliveries/Redeliveries.ts"
import { Outbox } from "../mail/Outbox.ts"
import { Transcripts } from "../recordings/Transcripts.ts"
import type { JobHandlers } from "./JobRunner.ts"

/** The handlers of the jobs that need nothing but the store and the mail server. */
export const jobHandlers = Effect.gen(function* () {
  const captures = yield* CaptureSessions
  const outbox = yield* Outbox
  const redeliveries = yield* Redeliveries
  const transcripts = yield* Transcripts
  return {
    capture: captures.runJob,
    mail: outbox.deliver,
    transcript: transcripts.runStep,
    redelivery: redeliveries.runStep
  } satisfies JobHandlers
})
