import type { RecordingUuid } from "@tapedeck/domain"
import { Context, type Effect } from "effect"
import type { ProviderFailed } from "../../files/media/ProviderFailed.ts"

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

/** Asks a language model for title, summary and chapters. Returns the text of its answer. Interrupted, it stops whatever it started. */
export class Summarizer extends Context.Service<
  Summarizer,
  { readonly summarize: (request: SummaryRequest) => Effect.Effect<string, ProviderFailed> }
>()("@tapedeck/core/Summarizer") {}
