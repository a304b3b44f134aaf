import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Repairs } from "../../capture/Repairs.ts"
import { atOnce, type Sliced } from "../../slices.ts"
import { UNSTORABLE_TEXT, unstorableAt, unstorableTextPaths } from "../../storableText.ts"
import type { RecognizedTranscript, Segment } from "../Transcript.ts"
import { charactersOfWord } from "./cues.ts"
import { readTranscriptJson } from "./json.ts"
import { problemAt, TranscriptUnreadable } from "./problem.ts"
import { readSubRip } from "./subRip.ts"
import { readWebVtt } from "./webVtt.ts"

/** Formats of imported transcripts. */
export const TranscriptFormat = Schema.Literals(["webvtt", "subrip", "json"])
export type TranscriptFormat = typeof TranscriptFormat.Type

/**
 * Reads a transcript in a format. Text that no store accepts is refused, even escaped in JSON; a NUL in WebVTT is U+FFFD, as the W3C
 * specifies.
 */
export const parseTranscript = (
  format: TranscriptFormat,
  text: string,
  repairs?: Repairs
): Result.Result<RecognizedTranscript, TranscriptUnreadable> => atOnce(readTranscript(format, text, repairs))

/** Reads a transcript in slices, for untrusted texts. `repairs` records changes and omissions that made the rest readable. */
export function* readTranscript(
  format: TranscriptFormat,
  content: string,
  repairs = new Repairs()
): Sliced<Result.Result<RecognizedTranscript, TranscriptUnreadable>> {
  const text = format === "webvtt" ? content.replaceAll("\0", "\uFFFD") : content
  const offset = unstorableAt(text)
  if (offset !== -1) return Result.fail(new TranscriptUnreadable(problemAt(text, offset, UNSTORABLE_TEXT)))
  const read = yield* readers[format](text, repairs)
  if (Result.isFailure(read)) return Result.fail(new TranscriptUnreadable(read.failure))
  const { segments, ...others } = read.success
  const path = unstorableTextPaths(others)[0] ?? (yield* unstorableIn(segments))
  if (path === undefined) return Result.succeed(read.success)
  return Result.fail(new TranscriptUnreadable({ problem: `${path.join(".")} ${UNSTORABLE_TEXT}`, line: 1, column: 1 }))
}

const readers = { webvtt: readWebVtt, subrip: readSubRip, json: readTranscriptJson }

/** Returns the path of the first text of a segment that no store accepts. */
function* unstorableIn(segments: ReadonlyArray<Segment>): Sliced<ReadonlyArray<string | number> | undefined> {
  for (const [index, segment] of segments.entries()) {
    const [path] = unstorableTextPaths(segment)
    if (path !== undefined) return ["segments", index, ...path]
    yield segment.text.length + charactersOfWord
  }
  return undefined
}

/** Returns the format of a text without a name, by its start. */
export const formatOf = (text: string): TranscriptFormat => {
  const begin = text.slice(0, 1_000).replace(/^\uFEFF/, "")
  if (/^WEBVTT(\s|$)/.test(begin)) return "webvtt"
  return /^\s*[[{]/.test(begin) ? "json" : "subrip"
}

/** Returns the format of captions that were sent as plain text, by their first line or first times; null if they are none. */
export const captionFormatOf = (text: string): "webvtt" | "subrip" | null => {
  if (/^\uFEFF?WEBVTT(?:[ \t][^\r\n]{0,200})?[\r\n]/.test(text.slice(0, 300)) && text.includes("-->")) return "webvtt"
  const [first = "", second = ""] = text
    .slice(0, 1_000)
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== "")
  const times = /^\s*\d+:\d\d?:\d\d?[,.]\d{1,3}\s*-->\s*\d+:\d/
  return times.test(first) || (/^\s*\d+\s*$/.test(first) && times.test(second)) ? "subrip" : null
}

const encodingOf = ([first, second]: Uint8Array): string => {
  if (first === 0xff && second === 0xfe) return "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"
}

/** Returns the text of a file: UTF-8, or UTF-16 if it starts with its byte order mark; null if it is neither. */
export const transcriptText = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Returns the text of a file, with U+FFFD for bytes that are invalid in its encoding. */
export const repairedTranscriptText = (bytes: Uint8Array): string => new TextDecoder(encodingOf(bytes)).decode(bytes)

export const UNKNOWN_ENCODING =
  "must be UTF-8, or UTF-16 with a byte order mark: convert it, for example with iconv -f WINDOWS-1252 -t UTF-8"
