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

/**
 * What a recording says of its transcript: how many segments each source has, and whether there is a legacy text. The texts
 * are kept apart from the recording, as `TranscriptTexts`.
 */
export const Transcript = Schema.Struct({
  status: TranscriptStatus,
  /** BCP 47, as detected. */
  language: Schema.NullOr(Schema.String),
  edited: Schema.Natural,
  processed: Schema.Natural,
  legacy: Schema.Boolean,
  /** Set while a transcript that was `ready` is being made again. */
  again: Schema.optionalKey(Schema.Literal(true))
})
export type Transcript = typeof Transcript.Type

const segments = Schema.Array(Segment)

/** The texts of a transcript. */
export const TranscriptTexts = Schema.Struct({
  /** Diarization speaker index to display name. */
  speakerMap: Schema.Record(Schema.String, Schema.String),
  edited: segments,
  processed: segments,
  /** What older recordings have instead of segments. */
  legacyText: Schema.NullOr(Schema.String)
})
export type TranscriptTexts = typeof TranscriptTexts.Type

/** The transcript of a recording that has none, which reads as `unavailable`. */
export const noTranscript: Transcript = {
  status: "unavailable",
  language: null,
  edited: 0,
  processed: 0,
  legacy: false
}

/** What was said, as it was recognized or brought along: it becomes the processed source. */
export type RecognizedTranscript = Pick<TranscriptTexts, "speakerMap"> & {
  readonly language: string | null
  readonly segments: ReadonlyArray<Segment>
}

export type TranscriptSources = Pick<Transcript, "edited" | "processed" | "legacy">

export type TranscriptSource = keyof TranscriptSources

/** How much there is of each source. */
export const sourcesOf = (texts: Partial<Omit<TranscriptTexts, "speakerMap">>): Partial<TranscriptSources> => ({
  ...(texts.edited !== undefined && { edited: texts.edited.length }),
  ...(texts.processed !== undefined && { processed: texts.processed.length }),
  ...(texts.legacyText !== undefined && { legacy: texts.legacyText !== null && texts.legacyText !== "" })
})

/** The status of a transcript that arrives with its text, without a request: a legacy text alone is `ready` too. */
export const initialTranscriptStatus = (sources: TranscriptSources): TranscriptStatus =>
  transcriptSource(sources) !== null ? "ready" : "unavailable"

/** A transcript after a change, and those of its texts that are written with it. */
export interface ChangedTranscript {
  readonly transcript: Transcript
  readonly texts: Partial<TranscriptTexts>
}

/**
 * What was recognized, or brought along, as the processed source. As long as there are edits they come first, and
 * the speakers are theirs.
 */
export const withRecognized = (
  transcript: Transcript,
  { language, segments, speakerMap }: RecognizedTranscript
): ChangedTranscript => ({
  transcript: { ...transcript, language: language ?? transcript.language, processed: segments.length },
  texts: { processed: segments, ...(transcript.edited === 0 && { speakerMap }) }
})

/** A text without segments in the place of what was recognized. */
export const withLegacyText = (transcript: Transcript, legacyText: string): ChangedTranscript => {
  const texts = { processed: [], legacyText }
  return { transcript: { ...transcript, ...sourcesOf(texts) }, texts }
}

/**
 * The transcript when its making has come to an end: `ready` if there is anything to read, also from before, else
 * `unavailable`.
 */
export const settledTranscript = (transcript: Transcript): Transcript =>
  withStatus(transcript, initialTranscriptStatus(transcript))

/** The transcript with another status. */
export const withStatus = (transcript: Transcript, status: TranscriptStatus): Transcript => {
  const { again: _again, ...rest } = transcript
  const isAgain = status === "processing" && transcript.status === "ready"
  return { ...rest, status, ...(isAgain && { again: true }) }
}

/** Which source a reader gets: edited rows, else processed rows, else the legacy text. No rows, and no text, are no source. */
const transcriptSource = ({ edited, legacy, processed }: TranscriptSources): TranscriptSource | null => {
  if (edited > 0) return "edited"
  if (processed > 0) return "processed"
  return legacy ? "legacy" : null
}

/** What a reader sees of a transcript, without its segments. */
export interface ShownTranscript {
  readonly status: TranscriptStatus
  readonly language: string | null
  /** What the segments are read from; null: there are none. */
  readonly source: TranscriptSource | null
  readonly segments: number
}

/**
 * What a reader sees: `unavailable` where there is none, no language and no segments until it is ready, edits also
 * while the transcript is made again; a legacy text is one segment.
 */
export const shownTranscript = (transcript: Transcript | null): ShownTranscript => {
  if (transcript === null) return { status: "unavailable", language: null, source: null, segments: 0 }
  const { again = false, edited, language } = transcript
  const status = transcript.status === "processing" && again && edited > 0 ? "ready" : transcript.status
  if (status !== "ready") return { status, language: null, source: null, segments: 0 }
  const source = transcriptSource(transcript)
  return { status, language, source, segments: source === "legacy" ? 1 : source === null ? 0 : transcript[source] }
}

/** A legacy text as the one segment that readers get. */
export const legacySegment = (text: string): Segment => ({
  startSeconds: 0,
  endSeconds: null,
  text,
  sentences: []
})
