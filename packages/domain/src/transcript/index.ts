/** Transcripts: reading of several formats, and writing of WebVTT. */
export {
  captionFormatOf,
  formatOf,
  parseTranscript,
  readTranscript,
  repairedTranscriptText,
  TranscriptFormat,
  transcriptText,
  UNKNOWN_ENCODING
} from "./import/formats.ts"
export { TranscriptUnreadable } from "./import/problem.ts"
export * from "./language.ts"
export type { RecognizedTranscript, Segment, TranscriptTexts } from "./Transcript.ts"
export * from "./webVttOf.ts"
