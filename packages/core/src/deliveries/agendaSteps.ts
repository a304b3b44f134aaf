import { Effect } from "effect"
import { Transcripts } from "../recordings/Transcripts.ts"
import { Redeliveries } from "./Redeliveries.ts"

/** Steps of the agenda that a worker takes besides deliveries: of transcripts, up to `limit` at a time, and of redeliveries. */
export const agendaSteps = Effect.fnUntraced(function* (limit: number) {
  const transcripts = yield* Transcripts
  const redeliveries = yield* Redeliveries

  const redelivered = Effect.catchCause(redeliveries.step, (cause) =>
    Effect.as(Effect.logError("redelivery step failed; retrying", cause), false)
  )
  return {
    kinds: ["transcript", "redelivery"],
    take: Effect.gen(function* () {
      const steps = yield* transcripts.runDue(limit)
      // Takes one redelivery step at a time, so that claims come between steps.
      return (yield* redelivered) || steps.length > 0
    })
  }
})
