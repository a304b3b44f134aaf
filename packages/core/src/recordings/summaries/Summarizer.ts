import type { RecordingUuid } from "@tapedeck/domain"
import { Context, type Effect, Schema } from "effect"

/** A transcript to summarize, with redacted texts. */
export interface SummaryRequest {
  /** For the log only. */
  readonly recordingUuid: RecordingUuid
  readonly title: string | null
  /** Language of the transcript, as a BCP 47 code; null if it is unknown. */
  readonly language: string | null
  /** One line for each segment, with its start in seconds: `[83] My card was declined.` */
  readonly transcript: string
}

/** The try produced no answer. */
export class SummarizationFailed extends Schema.TaggedError<SummarizationFailed>()("SummarizationFailed", {
  /** For the log. Contains no secret. */
  reason: Schema.String,
  /** Shown to users who see the recording. Contains no address and no text of the provider. */
  problem: Schema.String,
  /** True if another try may succeed. */
  again: Schema.Boolean
}) {
  override get message() {
    return this.reason
  }
}

/** Asks a language model for title, summary and chapters. Returns the text of its answer. Interrupted, it stops whatever it started. */
export class Summarizer extends Context.Service<
  Summarizer,
  { readonly summarize: (request: SummaryRequest) => Effect.Effect<string, SummarizationFailed> }
>()("@tapedeck/core/Summarizer") {}
