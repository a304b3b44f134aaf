/** Transcripts: the formats that are read, and WebVTT that is written. */
export * from "./import/formats.ts"
export { TranscriptUnreadable } from "./import/problem.ts"
export * from "./language.ts"
export * from "./Transcript.ts"
export * from "./webVttOf.ts"
