import { decideTranscript, type Recording, transcriptEventTo } from "@tapedeck/domain"
import { Context, Effect, Layer, Result } from "effect"
import { Store, type TranscriptStep } from "./Store.ts"

/**
 * Called before a transcript is read; gives the recording as it is to be read. The emulator counts reads here, for
 * scripts that turn a transcript ready at the third one; in the server nothing happens.
 */
export const BeforeTranscriptRead = Context.Reference<(recording: Recording) => Effect.Effect<Recording>>(
  "@tapedeck/core/BeforeTranscriptRead",
  { defaultValue: () => Effect.succeed }
)

/** Transcripts and the steps that they take (R15). */
export class Transcripts extends Context.Service<
  Transcripts,
  {
    readonly read: (recording: Recording) => Effect.Effect<Recording>
    /** Moves a recording's transcript to the status; a move that R15 does not know changes nothing and is answered `false`. */
    readonly step: (step: Pick<TranscriptStep, "recordingUuid" | "status">) => Effect.Effect<boolean>
  }
>()("@tapedeck/core/Transcripts") {
  static readonly layer = Layer.effect(
    Transcripts,
    Effect.gen(function* () {
      const store = yield* Store

      const step: Transcripts["Service"]["step"] = Effect.fnUntraced(function* ({ recordingUuid, status }) {
        const recording = yield* store.recordings.byUuid(recordingUuid)
        if (recording === undefined || recording.transcript === null) return false
        const next = decideTranscript(recording.transcript.status, transcriptEventTo(status))
        if (Result.isFailure(next)) return false
        yield* store.recordings.save({ ...recording, transcript: { ...recording.transcript, status: next.success } })
        return true
      })

      return Transcripts.of({
        read: (recording) => Effect.flatMap(BeforeTranscriptRead, (before) => before(recording)),
        step: (one) => store.transaction(step(one))
      })
    })
  )
}
