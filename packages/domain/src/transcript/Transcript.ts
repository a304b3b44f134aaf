import * as Schema from "effect/Schema"
import { withinJsonDepth } from "../json.ts"

export const TranscriptStatus = Schema.Literals(["ready", "processing", "unavailable"])
export type TranscriptStatus = typeof TranscriptStatus.Type

export const Segment = Schema.Struct({
  startSeconds: Schema.Natural,
  endSeconds: Schema.NullOr(Schema.Natural),
  text: Schema.String,
  /** Times and diarization of the sentences, in free form. */
  sentences: Schema.Array(Schema.JsonObject).check(withinJsonDepth)
})
export type Segment = typeof Segment.Type

/**
 * The transcript of a recording, without its texts: the number of segments of each source, and whether there is a legacy text.
 * `TranscriptTexts` has the texts, which are stored separately.
 */
export const Transcript = Schema.Struct({
  status: TranscriptStatus,
  /** Detected language, as a BCP 47 code. */
  language: Schema.NullOr(Schema.String),
  edited: Schema.Natural,
  processed: Schema.Natural,
  legacy: Schema.Boolean,
  /** Present while a transcript that was `ready` is being made again. */
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
  /** Text that older recordings have instead of segments. */
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

/** A recognized or imported transcript, which becomes the processed source. */
export type RecognizedTranscript = Pick<TranscriptTexts, "speakerMap"> & {
  readonly language: string | null
  readonly segments: ReadonlyArray<Segment>
}

export type TranscriptSources = Pick<Transcript, "edited" | "processed" | "legacy">

export type TranscriptSource = keyof TranscriptSources

/** Returns the number of segments of each source. */
export const sourcesOf = (texts: Partial<Omit<TranscriptTexts, "speakerMap">>): Partial<TranscriptSources> => ({
  ...(texts.edited !== undefined && { edited: texts.edited.length }),
  ...(texts.processed !== undefined && { processed: texts.processed.length }),
  ...(texts.legacyText !== undefined && { legacy: texts.legacyText !== null && texts.legacyText !== "" })
})

/** Returns the status of a transcript that is created with its text, without a request. A legacy text alone is `ready`, too. */
export const initialTranscriptStatus = (sources: TranscriptSources): TranscriptStatus =>
  transcriptSource(sources) !== null ? "ready" : "unavailable"

/** A transcript after a change, and the texts that are written with it. */
export interface ChangedTranscript {
  readonly transcript: Transcript
  readonly texts: Partial<TranscriptTexts>
}

/**
 * Returns the transcript with a recognized or imported one as its processed source. Edits take precedence, and determine the
 * speakers.
 */
export const withRecognized = (
  transcript: Transcript,
  { language, segments, speakerMap }: RecognizedTranscript
): ChangedTranscript => ({
  transcript: { ...transcript, language: language ?? transcript.language, processed: segments.length },
  texts: { processed: segments, ...(transcript.edited === 0 && { speakerMap }) }
})

/** Returns the transcript with a text without segments as its recognized text. */
export const withLegacyText = (transcript: Transcript, legacyText: string): ChangedTranscript => {
  const texts = { processed: [], legacyText }
  return { transcript: { ...transcript, ...sourcesOf(texts) }, texts }
}

/**
 * Returns the transcript after the recognizer has finished: `ready` if there is any text, including earlier text, else
 * `unavailable`.
 */
export const settledTranscript = (transcript: Transcript): Transcript =>
  withStatus(transcript, initialTranscriptStatus(transcript))

/** Returns the transcript with another status. */
export const withStatus = (transcript: Transcript, status: TranscriptStatus): Transcript => {
  const { again: _again, ...rest } = transcript
  const isAgain = status === "processing" && transcript.status === "ready"
  return { ...rest, status, ...(isAgain && { again: true }) }
}

/** Returns the source for readers: edited segments, else processed segments, else the legacy text; null if there are none. */
const transcriptSource = ({ edited, legacy, processed }: TranscriptSources): TranscriptSource | null => {
  if (edited > 0) return "edited"
  if (processed > 0) return "processed"
  return legacy ? "legacy" : null
}

/** The transcript for readers, without its segments. */
export interface ShownTranscript {
  readonly status: TranscriptStatus
  readonly language: string | null
  /** Source of the segments; null if there are none. */
  readonly source: TranscriptSource | null
  readonly segments: number
}

/**
 * Returns the transcript for readers. It is `unavailable` if there is none, and has no language and no segments until it is ready. Edits
 * are shown while the transcript is being made again, too. A legacy text is one segment.
 */
export const shownTranscript = (transcript: Transcript | null): ShownTranscript => {
  if (transcript === null) return { status: "unavailable", language: null, source: null, segments: 0 }
  const { again = false, edited, language } = transcript
  const status = transcript.status === "processing" && again && edited > 0 ? "ready" : transcript.status
  if (status !== "ready") return { status, language: null, source: null, segments: 0 }
  const source = transcriptSource(transcript)
  return { status, language, source, segments: source === "legacy" ? 1 : source === null ? 0 : transcript[source] }
}

/** Returns a legacy text as one segment. */
export const legacySegment = (text: string): Segment => ({
  startSeconds: 0,
  endSeconds: null,
  text,
  sentences: []
})
