import * as Result from "effect/Result"
import type { RecognizedTranscript } from "../Transcript.ts"
import { type Cue, transcriptOfCues } from "./cues.ts"
import { voicesIn, withoutOverrides } from "./cueText.ts"
import { MAX_TRANSCRIPT_SEGMENTS, MAX_TRANSCRIPT_SENTENCES, tooManySegments, tooManySentences } from "./limits.ts"
import { type Line, linesOf, problemIn, type TranscriptUnreadable } from "./problem.ts"
import { readTimes } from "./times.ts"

const isNumber = ({ text }: Line): boolean => /^\s*\d+\s*$/.test(text)

const isBlank = ({ text }: Line): boolean => text.trim() === ""

/** An arrow beside a number; any other arrow may be text. */
const isTimesLine = ({ text }: Line): boolean => /\d\s*-->|-->\s*\d/.test(text)

/** What was meant as times, but has another arrow: `00:01 -> 00:02`. */
const looksLikeTimes = ({ text }: Line): boolean => /^\s*\d+:[\d:.,]+\s*[-=–—]+>\s*\d+:\d/.test(text)

/**
 * Reads SubRip (`.srt`). Its cues are separated by their times, so that a blank line inside a text, and none before a
 * number, do no harm.
 */
export const parseSubRip = (text: string): Result.Result<RecognizedTranscript, TranscriptUnreadable> => {
  const numbered = linesOf(text)
  if (Result.isFailure(numbered)) return Result.fail(numbered.failure)
  const lines = numbered.success
  const starts = lines.flatMap((line, index) => (isTimesLine(line) ? [index] : []))
  const problem = strayLine(lines, starts[0] ?? lines.length)
  if (problem !== undefined) return Result.fail(problem)
  const tooMany = starts[MAX_TRANSCRIPT_SEGMENTS]
  if (tooMany !== undefined) return Result.fail(problemIn(lines[tooMany]!, 0, tooManySegments))
  const cues: Array<Cue> = []
  let sentences = 0
  for (const [nth, start] of starts.entries()) {
    const times = readTimes(lines[start]!)
    if (Result.isFailure(times)) return Result.fail(times.failure)
    const textLines = textBetween(lines, start + 1, starts[nth + 1])
    const spoken = withoutOverrides(textLines.map((line) => line.text).join("\n"))
    const voices = voicesIn(spoken, MAX_TRANSCRIPT_SENTENCES - sentences)
    sentences += voices.length
    if (sentences > MAX_TRANSCRIPT_SENTENCES) return Result.fail(problemIn(lines[start]!, 0, tooManySentences))
    cues.push({ ...times.success, voices })
  }
  return Result.succeed(transcriptOfCues(cues, null))
}

/** Before the first times only its number may stand, and nowhere anything that was meant as times. */
const strayLine = (lines: ReadonlyArray<Line>, first: number): TranscriptUnreadable | undefined => {
  const early = lines.slice(0, first).find((line) => !isBlank(line) && !isNumber(line))
  const stray = early ?? lines.find((line) => !isTimesLine(line) && looksLikeTimes(line))
  if (stray !== undefined) return problemIn(stray, 0, "a cue's times, with --> between them, must stand here")
  if (first === lines.length) return problemIn(lines.at(-1)!, 0, "there is no cue in it")
  return undefined
}

/** The lines of a cue's text: up to the next cue, without the number that stands before its times. */
const textBetween = (lines: ReadonlyArray<Line>, from: number, next: number | undefined): ReadonlyArray<Line> => {
  if (next === undefined) return lines.slice(from)
  const hasNumber = next - 1 >= from && isNumber(lines[next - 1]!)
  return lines.slice(from, hasNumber ? next - 1 : next)
}
