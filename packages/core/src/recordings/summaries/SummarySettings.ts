import type { Recording } from "@tapedeck/domain"
import { jobIds } from "@tapedeck/domain/internal/jobs"
import { Context, Effect, Layer } from "effect"
import { auditor } from "../../audit/audited.ts"
import { type NotFound, StateConflict, type Unauthenticated } from "../../errors.ts"
import { now } from "../../now.ts"
import type { Caller } from "../../people/Caller.ts"
import { writer } from "../../people/signIn/requireCurrent.ts"
import { countTries, uncountTries } from "../../people/signIn/tries.ts"
import { ServiceConfig } from "../../ServiceConfig.ts"
import { recordingChange } from "../../store/changes/changes.ts"
import { storeContext, storeOf } from "../../store/Store.ts"
import { type OwnedRecording, Recordings } from "../Recordings.ts"
import { type SummaryObstacle, startSummary, summaryObstacle } from "./startSummary.ts"
import { SummariesLimited, summaryCounts } from "./summaryLimits.ts"

const refusals = {
  no_summarizer: "This server has no summarizer, which generates title, summary and chapters",
  no_transcript: "The recording has no transcript from which title, summary and chapters are generated",
  in_progress: "Title, summary and chapters are being generated already"
}

/** Requests the generation of title, summary and chapters (T9). */
export class SummarySettings extends Context.Service<
  SummarySettings,
  {
    /** Starts the generation. It replaces generated texts, and fills texts that are missing. The requests of an hour are limited. */
    readonly request: (
      caller: Caller,
      uuid: string
    ) => Effect.Effect<OwnedRecording, NotFound | StateConflict | SummariesLimited | Unauthenticated>
    /** Returns the reason why the recording's texts cannot be generated now; null if they can. */
    readonly obstacle: (recording: Recording) => Effect.Effect<SummaryObstacle | "in_progress" | null>
  }
>()("@tapedeck/core/SummarySettings") {
  static readonly layer = Layer.effect(
    SummarySettings,
    Effect.gen(function* () {
      const config = yield* ServiceConfig
      const store = yield* storeOf("changes", "jobs", "recordings", "tryWindows")
      const write = yield* writer
      const recordings = yield* Recordings
      const audit = yield* auditor

      const obstacle = Effect.fnUntraced(function* (recording: Recording) {
        const found = summaryObstacle(recording, config.mediaWork)
        if (found !== null || recording.work?.summarize?.state !== "processing") return found
        const [job] = yield* store.jobs.byIds([jobIds.summary(recording.uuid)])
        if (job === undefined || !("failedTries" in job)) return null
        // Between tries, a request replaces the job: a member need not wait for the next try. A try that is due may run.
        return job.failedTries === 0 || job.dueAt <= (yield* now) ? "in_progress" : null
      })

      const find = Effect.fnUntraced(function* (caller: Caller, uuid: string) {
        const owned = yield* recordings.get(caller, uuid)
        const found = yield* obstacle(owned.recording)
        return found === null ? owned : yield* new StateConflict({ reason: refusals[found] })
      })

      const start = Effect.fn("SummarySettings.request")(function* (caller: Caller, uuid: string) {
        const { owner, recording: before } = yield* find(caller, uuid)
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

      const request = Effect.fnUntraced(function* (caller: Caller, uuid: string) {
        const { recording } = yield* find(caller, uuid)
        const counts = summaryCounts(caller, recording)
        // With an `Idempotency-Key`, this runs in the transaction of the key, as an exception for tries: a concurrent one conflicts and runs
        // again, which is rare here, and a refusal takes back all its counts, because it is not stored.
        const counted = yield* countTries(store, counts)
        if (!counted.isLetThrough) return yield* new SummariesLimited({ retryAfterMs: counted.retryAfterMs })
        // A concurrent request may have started the generation in the meantime: this one costs nothing.
        return yield* Effect.tapError(write(caller, start(caller, uuid)), () => uncountTries(store, counts))
      })

      return SummarySettings.of({ request, obstacle })
    })
  )
}
