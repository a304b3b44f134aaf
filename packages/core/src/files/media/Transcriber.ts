import type { RecordingUuid } from "@tapedeck/domain"
import type { RecognizedTranscript } from "@tapedeck/domain/transcript"
import { Context, type Effect } from "effect"
import type { ProviderFailed } from "./ProviderFailed.ts"

/** A file with speech in it, on this machine. */
export interface SpokenMedia {
  /** For the log only. */
  readonly recordingUuid: RecordingUuid
  readonly path: string
  /** Media type, such as `video/mp4`. */
  readonly contentType: string
}

/** Turns speech into text. Interrupted, it stops whatever it started. */
export class Transcriber extends Context.Service<
  Transcriber,
  { readonly transcribe: (media: SpokenMedia) => Effect.Effect<RecognizedTranscript, ProviderFailed> }
>()("@tapedeck/core/Transcriber") {}
