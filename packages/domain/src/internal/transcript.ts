/** Transcripts: states, sources, voices. Internal to the packages of Tapedeck: any release may change it. */

export { joinedTranscript, type TranscriptPart } from "../transcript/joinedTranscript.ts"
export { startOfSegment, voicesOf } from "../transcript/spoken.ts"
export { decideTranscript, ImpossibleTranscriptMove, TranscriptEvent, transcriptEventTo } from "../transcript/state.ts"
export {
  type ChangedTranscript,
  initialTranscriptStatus,
  legacySegment,
  noTranscript,
  type ShownTranscript,
  settledTranscript,
  shownTranscript,
  sourcesOf,
  type TranscriptSource,
  type TranscriptSources,
  withLegacyText,
  withRecognized,
  withStatus
} from "../transcript/Transcript.ts"
