import * as Schema from "effect/Schema"
import { withinJsonDepth } from "../json.ts"

export const TranscriptStatus = Schema.Literals(["ready", "processing", "unavailable"])
export type TranscriptStatus = typeof TranscriptStatus.Type

export const Segment = Schema.Struct({
  startSeconds: Schema.Natural,
  endSeconds: Schema.NullOr(Schema.Natural),
  text: Schema.String,
  /** Free-form: timing and diarization metadata, as far as there is any. */
  sentences: Schema.Array(Schema.JsonObject).check(withinJsonDepth)
})
export type Segment = typeof Segment.Type

/** A recording's transcript, with all the sources it may have. What a reader sees of it is `readTranscript`'s. */
export const Transcript = Schema.Struct({
  status: TranscriptStatus,
  /** BCP 47, as detected. */
  language: Schema.NullOr(Schema.String),
  /** Diarization speaker index to display name. */
  speakerMap: Schema.Record(Schema.String, Schema.String),
  edited: Schema.NullOr(Schema.Array(Segment)),
  processed: Schema.NullOr(Schema.Array(Segment)),
  /** What older recordings have instead of segments. */
  legacyText: Schema.NullOr(Schema.String)
})
export type Transcript = typeof Transcript.Type

/** The transcript of a recording that has none, which reads as `unavailable` (R13). */
export const noTranscript: Transcript = {
  status: "unavailable",
  language: null,
  speakerMap: {},
  edited: null,
  processed: null,
  legacyText: null
}

/** What was said, as it was recognized or brought along: it becomes the processed source. */
export type RecognizedTranscript = Pick<Transcript, "language" | "speakerMap"> & {
  readonly segments: ReadonlyArray<Segment>
}

export type TranscriptSources = Pick<Transcript, "edited" | "processed" | "legacyText">

/** The status of a transcript that arrives with its text, nothing having been asked for: a legacy text alone is `ready` too (R23). */
export const initialTranscriptStatus = (sources: TranscriptSources): TranscriptStatus =>
  sourceOf(sources) !== null ? "ready" : "unavailable"

/**
 * What was recognized, or brought along, as the processed source. As long as there are edits they come first (R14), and
 * the speakers are theirs.
 */
export const withRecognized = (
  transcript: Transcript,
  { language, segments, speakerMap }: RecognizedTranscript
): Transcript => ({
  ...transcript,
  language: language ?? transcript.language,
  speakerMap: sourceOf(transcript) === "edited" ? transcript.speakerMap : speakerMap,
  processed: segments.length === 0 ? null : segments
})

/**
 * The transcript when its making has come to an end (R15): `ready` if there is anything to read, also from before, else
 * `unavailable`.
 */
export const settledTranscript = (transcript: Transcript): Transcript => ({
  ...transcript,
  status: initialTranscriptStatus(transcript)
})

/** Which source a reader gets: edited rows, else processed rows, else the legacy text (R14). No rows, and no text, are no source. */
const sourceOf = ({ edited, processed, legacyText }: TranscriptSources): "edited" | "processed" | "legacy" | null => {
  if (edited !== null && edited.length > 0) return "edited"
  if (processed !== null && processed.length > 0) return "processed"
  return legacyText !== null && legacyText !== "" ? "legacy" : null
}

/** The segments that a reader sees (R13, R14, R23): none unless the transcript is `ready`; a legacy text is one segment. */
export const segmentsOf = (transcript: Transcript): ReadonlyArray<Segment> => {
  if (transcript.status !== "ready") return []
  switch (sourceOf(transcript)) {
    case "edited":
      return transcript.edited ?? []
    case "processed":
      return transcript.processed ?? []
    case "legacy":
      return [{ startSeconds: 0, endSeconds: null, text: transcript.legacyText ?? "", sentences: [] }]
    case null:
      return []
  }
}

export interface ReadableTranscript {
  readonly status: TranscriptStatus
  readonly language: string | null
  readonly speakerMap: Readonly<Record<string, string>>
  readonly segments: ReadonlyArray<Segment>
}

/** What a reader sees: `unavailable` where there is none, no language until it is ready (R13), no speakers for a legacy text (R23). */
export const readTranscript = (transcript: Transcript | null): ReadableTranscript => {
  if (transcript === null) return { status: "unavailable", language: null, speakerMap: {}, segments: [] }
  const { status } = transcript
  if (status !== "ready") return { status, language: null, speakerMap: {}, segments: [] }
  const speakerMap = sourceOf(transcript) === "legacy" ? {} : transcript.speakerMap
  return { status, language: transcript.language, speakerMap, segments: segmentsOf(transcript) }
}
