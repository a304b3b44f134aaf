import {
  atMostAsJson,
  list,
  listOfJsonObjects,
  natural,
  nullableNatural,
  object,
  optional,
  record,
  text,
  tooLong
} from "../input/fields.ts"

/** Maximum length of a segment, of a text without segments, and of the names of speakers, as JSON, so that a page of 100 segments has about 6 MB at most. */
const maxPartCharacters = 65_536

export const PART_TOO_LONG = `${tooLong(maxPartCharacters)}, as JSON`

/** Returns whether a segment, a text without segments, or the names of speakers exceed the maximum length. */
export const isPartTooLong = (value: unknown): boolean => JSON.stringify(value).length > maxPartCharacters

export const shortPart = atMostAsJson(maxPartCharacters)

export const segmentFields = {
  start_seconds: natural("Start of the segment, in seconds from the start of the recording.").annotate({
    examples: [0]
  }),
  end_seconds: nullableNatural("End of the segment, in seconds from the start of the recording.").annotate({
    examples: [4]
  }),
  text: text("Spoken text.").annotate({ examples: ["Hello, the checkout does not work."] }),
  sentences: listOfJsonObjects("Timing and speakers by sentence, as any JSON objects. Default: none.", {
    text: "Hello,",
    start: 0,
    end: 0.8,
    speaker: "0"
  })
}

const { end_seconds, sentences, start_seconds, text: spokenText } = segmentFields

export const SegmentInput = object(
  { start_seconds, text: spokenText, ...optional({ end_seconds, sentences }) },
  `A segment of a transcript, of at most ${maxPartCharacters} characters as JSON.`
)
  .check(shortPart)
  .annotate({ identifier: "SegmentInput" })
export type SegmentInput = typeof SegmentInput.Type

export const speakerMap = record(
  text("Display name."),
  `Display names by diarization speaker index, of at most ${maxPartCharacters} characters as JSON.`
)
  .annotate({ examples: [{ "0": "Ada", "1": "Customer" }] })
  .check(shortPart)

export const TranscriptInput = object(
  {
    segments: list(SegmentInput, "All segments of the transcript, in order. An empty list removes the edits."),
    ...optional({ speaker_map: speakerMap })
  },
  "An edited transcript, as a whole. Without `speaker_map` the names of speakers stay."
)
export type TranscriptInput = typeof TranscriptInput.Type
