import { jobIds } from "@tapedeck/domain/internal/jobs"
import { Context, Effect, Layer } from "effect"
import { auditor } from "../../audit/audited.ts"
import { type NotFound, StateConflict, type Unauthenticated } from "../../errors.ts"
import type { Caller } from "../../people/Caller.ts"
import { writer } from "../../people/signIn/requireCurrent.ts"
import { ServiceConfig } from "../../ServiceConfig.ts"
import { recordingChange } from "../../store/changes/changes.ts"
import { storeContext, storeOf } from "../../store/Store.ts"
import { type OwnedRecording, Recordings } from "../Recordings.ts"
import { startSummary, summaryObstacle } from "./startSummary.ts"

const refusals = {
  no_summarizer: "This server has no summarizer, which generates title, summary and chapters",
  no_transcript: "The recording has no transcript from which title, summary and chapters are generated"
}

/** Requests the generation of title, summary and chapters (T9). */
export class SummarySettings extends Context.Service<
  SummarySettings,
  {
    /** Starts the generation. It replaces generated texts, and fills texts that are missing. */
    readonly request: (
      caller: Caller,
      uuid: string
    ) => Effect.Effect<OwnedRecording, NotFound | StateConflict | Unauthenticated>
  }
>()("@tapedeck/core/SummarySettings") {
  static readonly layer = Layer.effect(
    SummarySettings,
    Effect.gen(function* () {
      const config = yield* ServiceConfig
      const store = yield* storeOf("changes", "jobs", "recordings")
      const write = yield* writer
      const recordings = yield* Recordings
      const audit = yield* auditor

      const request = Effect.fn("SummarySettings.request")(function* (caller: Caller, uuid: string) {
        const { owner, recording: before } = yield* recordings.get(caller, uuid)
        const obstacle = summaryObstacle(before, config.mediaWork)
        if (obstacle !== null) return yield* new StateConflict({ reason: refusals[obstacle] })
        const [job] = yield* store.jobs.byIds([jobIds.summary(before.uuid)])
        // Between tries, a request replaces the job: a member need not wait for the next try.
        if (job !== undefined && "failedTries" in job && job.failedTries === 0) {
          return yield* new StateConflict({ reason: "Title, summary and chapters are being generated already" })
        }
        const after = yield* Effect.provide(startSummary(before, config.mediaWork), storeContext(store))
        yield* store.recordings.save(after)
        yield* store.changes.publishOnCommit(recordingChange(after))
        yield* audit(
          caller,
          "recording.updated",
          { type: "recording", id: after.uuid },
          {
            summarize: { from: before.work?.summarize?.state ?? null, to: "processing" }
          }
        )
        return { recording: after, owner }
      })

      return SummarySettings.of({ request: (caller, uuid) => write(caller, request(caller, uuid)) })
    })
  )
}
