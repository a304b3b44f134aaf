import * as Result from "effect/Result"
import type { Repairs } from "../../capture/Repairs.ts"
import type { Sliced } from "../../slices.ts"
import type { RecognizedTranscript } from "../Transcript.ts"
import { type Cue, charactersOfWord, transcriptOfCues } from "./cues.ts"
import { subRipText } from "./cueText.ts"
import {
  MAX_TRANSCRIPT_CUE_CHARACTERS,
  MAX_TRANSCRIPT_SEGMENTS,
  tooLongCue,
  tooManyHours,
  tooManySegments
} from "./limits.ts"
import { type Line, lineBreakOfSubRip, linesOf, type Problem, problemIn } from "./problem.ts"
import { readSubRipTimes } from "./times.ts"

const isNumber = ({ text }: Line): boolean => /^\s*\d+\s*$/.test(text)

const isBlank = ({ text }: Line): boolean => text.trim() === ""

/** Returns whether a line has an arrow next to a number. Any other arrow may be text. */
const isTimesLine = ({ text }: Line): boolean => /\d\s*-->|-->\s*\d/.test(text)

/** Returns whether a line looks like times with a wrong arrow: `00:01 -> 00:02`. */
const looksLikeTimes = ({ text }: Line): boolean => /^\s*\d+:[\d:.,]+\s*[-=–—]+>\s*\d+:\d/.test(text)

/**
 * Reads SubRip (`.srt`). Cues are separated by their times, so a blank line inside a text, or a missing one before a number, does no harm.
 * Cues with malformed times are omitted, unless all are malformed.
 */
export function* readSubRip(text: string, repairs: Repairs): Sliced<Result.Result<RecognizedTranscript, Problem>> {
  const numbered = linesOf(text, lineBreakOfSubRip)
  if (Result.isFailure(numbered)) return Result.fail(numbered.failure)
  const lines = numbered.success
  const starts = lines.flatMap((line, index) => (isTimesLine(line) || looksLikeTimes(line) ? [index] : []))
  const problem = strayLine(lines, starts[0] ?? lines.length)
  if (problem !== undefined) return Result.fail(problem)
  const tooMany = starts[MAX_TRANSCRIPT_SEGMENTS]
  if (tooMany !== undefined) return Result.fail(problemIn(lines[tooMany]!, 0, tooManySegments))
  const cues: Array<Cue> = []
  let unread: Problem | undefined
  let index = Number(lines.slice(0, starts[0]).findLast(isNumber)?.text ?? 0)
  for (const [nth, start] of starts.entries()) {
    const line = lines[start]!
    const times = isTimesLine(line) ? readSubRipTimes(line, repairs) : Result.fail(problemIn(line, 0, MISPLACED))
    const block = lines.slice(start + 1, starts[nth + 1])
    const nextIndex = indexBehind(block, index, starts[nth + 1] !== undefined)
    const said = block.slice(0, nextIndex).map((line) => line.text)
    if (nextIndex !== undefined) index = Number(block[nextIndex]!.text)
    const text = said.join("\n")
    if (text.length > MAX_TRANSCRIPT_CUE_CHARACTERS) return Result.fail(problemIn(lines[start]!, 0, tooLongCue))
    yield text.length + charactersOfWord
    if (Result.isSuccess(times)) cues.push({ ...times.success, voices: [{ name: null, text: subRipText(text) }] })
    else if (times.failure.problem === tooManyHours) return Result.fail(times.failure)
    else {
      unread ??= times.failure
      repairs.note(`line ${times.failure.line}`, `Left out: ${times.failure.problem}`)
    }
  }
  if (cues.length === 0 && unread !== undefined) return Result.fail(unread)
  return Result.succeed(yield* transcriptOfCues(cues, null))
}

const MISPLACED = "a cue's times, with --> between them, must stand here"

/** Returns the problem of a line before the first times, where only a number is allowed. */
const strayLine = (lines: ReadonlyArray<Line>, first: number): Problem | undefined => {
  const early = lines.slice(0, first).find((line) => !isBlank(line) && !isNumber(line))
  if (early !== undefined) return problemIn(early, 0, MISPLACED)
  if (first === lines.length) return problemIn(lines.at(-1)!, 0, "there is no cue in it")
  return undefined
}

/**
 * Returns the position of the next cue's index in the lines after a cue's times: the last line, directly before the next times; or a line
 * between blank lines, if it continues this cue's index.
 */
const indexBehind = (block: ReadonlyArray<Line>, index: number, hasNext: boolean): number | undefined => {
  const last = block.findLastIndex((line) => !isBlank(line))
  if (last === -1 || !isNumber(block[last]!)) return undefined
  if (hasNext && last === block.length - 1) return last
  const isApart = last > 0 && isBlank(block[last - 1]!)
  return isApart && Number(block[last]!.text) === index + 1 ? last : undefined
}
