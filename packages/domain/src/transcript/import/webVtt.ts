import * as Result from "effect/Result"
import { Repairs } from "../../capture/Repairs.ts"
import type { Sliced } from "../../slices.ts"
import { isLanguageTag } from "../language.ts"
import type { RecognizedTranscript } from "../Transcript.ts"
import { type Cue, charactersOfWord, transcriptOfCues } from "./cues.ts"
import { voicesIn } from "./cueText.ts"
import {
  MAX_TRANSCRIPT_CUE_CHARACTERS,
  MAX_TRANSCRIPT_SEGMENTS,
  MAX_TRANSCRIPT_SENTENCES,
  tooLongCue,
  tooManyHours,
  tooManySegments,
  tooManySentences
} from "./limits.ts"
import { type Line, linesOf, type Problem, problemIn } from "./problem.ts"
import { type ReadTimes, readSubRipTimes, readWebVttTimes, type Times } from "./times.ts"

const isNote = ({ text }: Line): boolean => /^NOTE(?:[ \t]|$)/.test(text)

const hasArrow = ({ text }: Line): boolean => text.includes("-->")

/** A block of the file: its lines, and the times with which a cue starts. A block without times is not a cue. */
interface Block {
  readonly lines: ReadonlyArray<Line>
  readonly times?: Times
  /** Index of the line after the block. */
  readonly next: number
  /** Problem of the block's times, if they are malformed. */
  readonly problem?: Problem
}

/**
 * Collects a block (https://www.w3.org/TR/webvtt1/#collect-a-webvtt-block). It ends at an empty line, or before a line with an arrow that
 * cannot be the times of its own cue. The header has no times: `readTimes` is null.
 */
const blockAt = (
  lines: ReadonlyArray<Line>,
  from: number,
  readTimes: ((line: Line) => ReturnType<ReadTimes>) | null
): Block => {
  let times: Times | undefined
  let problem: Problem | undefined
  let text: Array<Line> = []
  let hasSeenArrow = false
  let next = from
  while (next < lines.length) {
    const line = lines[next]!
    const nth = next - from
    if (hasArrow(line)) {
      if (readTimes === null || nth > 1 || hasSeenArrow) break
      hasSeenArrow = true
      const read = readTimes(line)
      if (Result.isFailure(read)) problem = read.failure
      else {
        times = read.success
        text = []
      }
    } else if (line.text === "") {
      next++
      break
    } else text.push(line)
    next++
  }
  return { lines: text, next, ...(times && { times }), ...(problem && { problem }) }
}

/**
 * Reads WebVTT by the W3C's algorithm (https://www.w3.org/TR/webvtt1/#webvtt-parser-algorithm), which skips notes, styles, regions,
 * settings, and cues with malformed times. Voices become speakers, and the sentences get the exact times. If all cues are skipped, their
 * times are read as those of SubRip (`00:00:01,500`); if that fails, the file is refused.
 */
export function* readWebVtt(text: string, repairs: Repairs): Sliced<Result.Result<RecognizedTranscript, Problem>> {
  const read = linesOf(text)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const [signature, ...lines] = read.success
  if (signature === undefined || !/^WEBVTT([ \t]|$)/.test(signature.text)) {
    return Result.fail(problemIn({ text: "", number: 1 }, 0, "a WebVTT file must begin with WEBVTT"))
  }
  const header = blockAt(lines, 0, null)
  const body = lines.slice(header.next)
  const repairsOfStrict = new Repairs()
  const strict = yield* cuesIn(body, readWebVttTimes, repairsOfStrict)
  if (Result.isFailure(strict)) return Result.fail(strict.failure)
  const { cues, skipped } = strict.success
  const language = languageIn(header.lines)
  if (cues.length > 0 || skipped === undefined) {
    repairs.add(repairsOfStrict)
    return Result.succeed(yield* transcriptOfCues(cues, language))
  }
  const lenient = yield* cuesIn(body, readSubRipTimes, repairs)
  if (Result.isFailure(lenient)) return Result.fail(lenient.failure)
  return lenient.success.cues.length > 0
    ? Result.succeed(yield* transcriptOfCues(lenient.success.cues, language))
    : Result.fail(skipped)
}

/** Returns the problem of the first line that looks like times with a wrong arrow: `00:01 -> 00:02`. */
const wrongArrow = (lines: ReadonlyArray<Line>): Problem | undefined => {
  const meant = lines.find(({ text }) => /^\s*\d+:\d/.test(text))
  return meant && problemIn(meant, 0, "a cue's times, with --> between them, must stand here")
}

interface ReadCues {
  readonly cues: ReadonlyArray<Cue>
  /** Problem of the first skipped cue. */
  readonly skipped: Problem | undefined
}

function* cuesIn(
  lines: ReadonlyArray<Line>,
  readTimes: ReadTimes,
  repairs: Repairs
): Sliced<Result.Result<ReadCues, Problem>> {
  const cues: Array<Cue> = []
  let sentences = 0
  let skipped: Problem | undefined
  for (let next = 0; next < lines.length; ) {
    const first = lines[next]!
    const block = blockAt(lines, next, (line) => readTimes(line, repairs))
    next = block.next
    if (block.problem?.problem === tooManyHours) return Result.fail(block.problem)
    if (block.times === undefined) {
      yield charactersOfWord
      const problem = block.problem ?? wrongArrow(block.lines.slice(0, 2))
      skipped ??= problem
      if (problem !== undefined && !isNote(first)) repairs.note(`line ${problem.line}`, `Left out: ${problem.problem}`)
      continue
    }
    if (cues.length === MAX_TRANSCRIPT_SEGMENTS) return Result.fail(problemIn(first, 0, tooManySegments))
    const text = block.lines.map(({ text }) => text).join("\n")
    if (text.length > MAX_TRANSCRIPT_CUE_CHARACTERS) return Result.fail(problemIn(first, 0, tooLongCue))
    yield text.length + charactersOfWord
    const voices = voicesIn(text, MAX_TRANSCRIPT_SENTENCES - sentences)
    sentences += voices.length
    if (sentences > MAX_TRANSCRIPT_SENTENCES) return Result.fail(problemIn(first, 0, tooManySentences))
    cues.push({ ...block.times, voices })
  }
  return Result.succeed({ cues, skipped })
}

/** Reads `Language: en` in the header, which some services write. */
const languageIn = (head: ReadonlyArray<Line>): string | null => {
  const [, language] = head.flatMap(({ text }) => [/^Language:\s*(\S+)\s*$/i.exec(text) ?? []].flat())
  return language !== undefined && isLanguageTag(language) ? language : null
}
