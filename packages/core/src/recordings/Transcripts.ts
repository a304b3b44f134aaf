import type { Recording, Segment } from "@tapedeck/domain"
import { cutSegments, trimOf } from "@tapedeck/domain/internal/files"
import type { TranscriptJob } from "@tapedeck/domain/internal/jobs"
import {
  decideTranscript,
  legacySegment,
  type ShownTranscript,
  shownTranscript,
  transcriptEventTo,
  withStatus
} from "@tapedeck/domain/internal/transcript"
import { Context, Effect, Layer, Result } from "effect"
import { recordingChange } from "../store/changes/changes.ts"
import { type JobClaim, type Slice, storeOf } from "../store/Store.ts"

/**
 * Called before a transcript is read; gives the recording as it is to be read. The emulator counts reads here, for
 * scripts that turn a transcript ready at the third one. By default a read changes nothing, as the API promises.
 */
export const BeforeTranscriptRead = Context.Reference<(recording: Recording) => Effect.Effect<Recording>>(
  "@tapedeck/core/BeforeTranscriptRead",
  { defaultValue: () => Effect.succeed }
)

/** A transcript as a reader sees it. Its segments are read a page at a time. */
export interface OpenTranscript extends ShownTranscript {
  readonly speakerMap: Readonly<Record<string, string>>
  readonly read: (slice: Slice) => Effect.Effect<ReadonlyArray<Segment>>
}

/** Transcripts and the steps that they take (R15). */
export class Transcripts extends Context.Service<
  Transcripts,
  {
    /** The recording as it is to be read, after what a read causes. */
    readonly read: (recording: Recording) => Effect.Effect<Recording>
    /** Returns the transcript of a recording for readers (R13, R14). */
    readonly open: (recording: Recording) => Effect.Effect<OpenTranscript>
    /** Moves a recording's transcript to the status; a move that R15 does not know changes nothing and is answered `false`. */
    readonly step: (step: Pick<TranscriptJob, "recordingUuid" | "status">) => Effect.Effect<boolean>
    /** Applies a claimed step and finishes its job, in one transaction. Returns whether it changed the transcript. */
    readonly runStep: (claim: JobClaim<TranscriptJob>) => Effect.Effect<boolean>
  }
>()("@tapedeck/core/Transcripts") {
  static readonly layer = Layer.effect(
    Transcripts,
    Effect.gen(function* () {
      const store = yield* storeOf("changes", "jobs", "recordingParts", "recordings", "transaction")
      const parts = store.recordingParts

      const open = Effect.fnUntraced(function* (recording: Recording): Effect.fn.Return<OpenTranscript> {
        const { id, transcript } = recording
        const shown = shownTranscript(transcript)
        const { source, status } = shown
        const isOfSpeakers = status === "ready" && source !== "legacy"
        const { speakerMap } = isOfSpeakers ? yield* parts.read(id, "speakerMap") : { speakerMap: {} }
        if (source === null) return { ...shown, speakerMap, read: () => Effect.succeed([]) }
        const trim = trimOf(recording)
        if (source !== "legacy" && trim !== undefined) {
          // All segments are read, because only then is it known which remain.
          const all = yield* parts.segments(id, source, { offset: 0, limit: shown.segments })
          const cut = cutSegments(all, trim)
          const read = ({ limit, offset }: Slice) => Effect.succeed(cut.slice(offset, offset + limit))
          return { ...shown, segments: cut.length, speakerMap, read }
        }
        if (source !== "legacy") return { ...shown, speakerMap, read: (slice) => parts.segments(id, source, slice) }
        const read = ({ limit, offset }: Slice) =>
          Effect.map(parts.read(id, "legacyText"), ({ legacyText }) =>
            [legacySegment(legacyText ?? "")].slice(offset, offset + limit)
          )
        return { ...shown, speakerMap, read }
      })

      const step: Transcripts["Service"]["step"] = Effect.fnUntraced(function* ({ recordingUuid, status }) {
        const recording = yield* store.recordings.byUuid(recordingUuid)
        if (recording === undefined || recording.transcript === null) return false
        const next = decideTranscript(recording.transcript.status, transcriptEventTo(status))
        if (Result.isFailure(next)) return false
        yield* store.recordings.save({ ...recording, transcript: withStatus(recording.transcript, next.success) })
        yield* store.changes.publishOnCommit(recordingChange(recording))
        return true
      })

      return Transcripts.of({
        read: (recording) => Effect.flatMap(BeforeTranscriptRead, (before) => before(recording)),
        open,
        step: (one) => store.transaction(step(one)),
        runStep: (claim) =>
          store.transaction(
            Effect.flatMap(store.jobs.finish(claim), (isHeld) => (isHeld ? step(claim.job) : Effect.succeed(false)))
          )
      })
    })
  )
}
