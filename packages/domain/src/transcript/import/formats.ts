import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { UNSTORABLE_TEXT, unstorableAt, unstorableTextPaths } from "../../storableText.ts"
import type { RecognizedTranscript } from "../Transcript.ts"
import { parseTranscriptJson } from "./json.ts"
import { problemAt, TranscriptUnreadable } from "./problem.ts"
import { parseSubRip } from "./subRip.ts"
import { parseWebVtt } from "./webVtt.ts"

/** The formats in which transcripts come from elsewhere. */
export const TranscriptFormat = Schema.Literals(["webvtt", "subrip", "json"])
export type TranscriptFormat = typeof TranscriptFormat.Type

/**
 * Reads a transcript that was written in this format. Text that no store keeps is refused, escaped in JSON too; but a NUL in
 * WebVTT is U+FFFD, as the W3C has it.
 */
export const parseTranscript = (
  format: TranscriptFormat,
  given: string
): Result.Result<RecognizedTranscript, TranscriptUnreadable> => {
  const text = format === "webvtt" ? given.replaceAll("\0", "\uFFFD") : given
  const offset = unstorableAt(text)
  if (offset !== -1) return Result.fail(problemAt(text, offset, UNSTORABLE_TEXT))
  return Result.flatMap(parseFormat(format, text), (recognized) => {
    const [path] = unstorableTextPaths(recognized)
    return path === undefined
      ? Result.succeed(recognized)
      : Result.fail(new TranscriptUnreadable({ problem: `${path.join(".")} ${UNSTORABLE_TEXT}`, line: 1, column: 1 }))
  })
}

const parseFormat = (
  format: TranscriptFormat,
  text: string
): Result.Result<RecognizedTranscript, TranscriptUnreadable> => {
  switch (format) {
    case "webvtt":
      return parseWebVtt(text)
    case "subrip":
      return parseSubRip(text)
    case "json":
      return parseTranscriptJson(text)
  }
}

/** The format that a text is in, by how it begins: for what comes without a name. */
export const formatOf = (text: string): TranscriptFormat => {
  const begin = text.slice(0, 1_000).replace(/^\uFEFF/, "")
  if (/^WEBVTT(\s|$)/.test(begin)) return "webvtt"
  return /^\s*[[{]/.test(begin) ? "json" : "subrip"
}
