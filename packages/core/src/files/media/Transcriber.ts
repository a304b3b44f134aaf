import type { RecordingUuid } from "@tapedeck/domain"
import type { RecognizedTranscript } from "@tapedeck/domain/transcript"
import { Context, type Effect, Schema } from "effect"

/** A file with speech in it, on this machine. */
export interface SpokenMedia {
  /** For the log alone. */
  readonly recordingUuid: RecordingUuid
  readonly path: string
  /** Such as `video/mp4`. */
  readonly contentType: string
}

/** There is no transcript, this time. The reason is for the log: it holds no secret. */
export class TranscriptionFailed extends Schema.TaggedError<TranscriptionFailed>()("TranscriptionFailed", {
  reason: Schema.String,
  /** Whether another try may end better. */
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
