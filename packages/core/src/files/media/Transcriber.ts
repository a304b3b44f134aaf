import type { RecordingUuid } from "@tapedeck/domain"
import type { RecognizedTranscript } from "@tapedeck/domain/transcript"
import { Context, type Effect, Schema } from "effect"

/** A file with speech in it, on this machine. */
export interface SpokenMedia {
  /** For the log only. */
  readonly recordingUuid: RecordingUuid
  readonly path: string
  /** Media type, such as `video/mp4`. */
  readonly contentType: string
}

/** The try produced no transcript. */
export class TranscriptionFailed extends Schema.TaggedError<TranscriptionFailed>()("TranscriptionFailed", {
  /** For the log. Contains no secret. */
  reason: Schema.String,
  /** Shown to users who see the recording. Default: the reason. */
  problem: Schema.optionalKey(Schema.String),
  /** True if another try may succeed. */
  again: Schema.Boolean
}) {
  override get message() {
    return this.reason
  }
}

/** Turns speech into text. Interrupted, it stops whatever it started. */
export class Transcriber extends Context.Service<
  Transcriber,
  { readonly transcribe: (media: SpokenMedia) => Effect.Effect<RecognizedTranscript, TranscriptionFailed> }
>()("@tapedeck/core/Transcriber") {}
