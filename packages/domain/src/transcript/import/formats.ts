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

/** The formats in which transcripts come from elsewhere. */
export const TranscriptFormat = Schema.Literals(["webvtt", "subrip", "json"])
export type TranscriptFormat = typeof TranscriptFormat.Type

/**
 * Reads a transcript that was written in this format. Text that no store keeps is refused, escaped in JSON too; but a NUL in
 * WebVTT is U+FFFD, as the W3C has it.
 */
export const parseTranscript = (
  format: TranscriptFormat,
  text: string,
  repairs?: Repairs
): Result.Result<RecognizedTranscript, TranscriptUnreadable> => atOnce(readTranscript(format, text, repairs))

/** The same in slices, for a text of a stranger. `repairs` gets what was changed or left out so that the rest could be read. */
export function* readTranscript(
  format: TranscriptFormat,
  given: string,
  repairs = new Repairs()
): Sliced<Result.Result<RecognizedTranscript, TranscriptUnreadable>> {
  const text = format === "webvtt" ? given.replaceAll("\0", "\uFFFD") : given
  const offset = unstorableAt(text)
  if (offset !== -1) return Result.fail(problemAt(text, offset, UNSTORABLE_TEXT))
  const read = yield* readers[format](text, repairs)
  if (Result.isFailure(read)) return read
  const { segments, ...others } = read.success
  const path = unstorableTextPaths(others)[0] ?? (yield* unstorableIn(segments))
  if (path === undefined) return read
  return Result.fail(new TranscriptUnreadable({ problem: `${path.join(".")} ${UNSTORABLE_TEXT}`, line: 1, column: 1 }))
}

const readers = { webvtt: readWebVtt, subrip: readSubRip, json: readTranscriptJson }

/** Where the first segment with text that no store keeps has it. */
function* unstorableIn(segments: ReadonlyArray<Segment>): Sliced<ReadonlyArray<string | number> | undefined> {
  for (const [index, segment] of segments.entries()) {
    const [path] = unstorableTextPaths(segment)
    if (path !== undefined) return ["segments", index, ...path]
    yield segment.text.length + charactersOfWord
  }
  return undefined
}

/** The format that a text is in, by how it begins: for what comes without a name. */
export const formatOf = (text: string): TranscriptFormat => {
  const begin = text.slice(0, 1_000).replace(/^\uFEFF/, "")
  if (/^WEBVTT(\s|$)/.test(begin)) return "webvtt"
  return /^\s*[[{]/.test(begin) ? "json" : "subrip"
}

/** The format of a text that is said to be plain: captions are recognized by their first line or first times; else null. */
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

/** The text of a file: UTF-8, or UTF-16 if it begins with its byte order mark; null: it is neither. */
export const transcriptText = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** The text of a file, with U+FFFD for bytes that are not in its encoding. */
export const repairedTranscriptText = (bytes: Uint8Array): string => new TextDecoder(encodingOf(bytes)).decode(bytes)

export const UNKNOWN_ENCODING =
  "must be UTF-8, or UTF-16 with a byte order mark: convert it, for example with iconv -f WINDOWS-1252 -t UTF-8"
