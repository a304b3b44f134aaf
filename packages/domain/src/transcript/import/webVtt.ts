import * as Result from "effect/Result"
import { isLanguageTag } from "../language.ts"
import type { RecognizedTranscript } from "../Transcript.ts"
import { type Cue, transcriptOfCues } from "./cues.ts"
import { voicesIn } from "./cueText.ts"
import { MAX_TRANSCRIPT_SEGMENTS, MAX_TRANSCRIPT_SENTENCES, tooManySegments, tooManySentences } from "./limits.ts"
import { type Line, linesOf, problemIn, type TranscriptUnreadable } from "./problem.ts"
import { isTimesLine, readTimes } from "./times.ts"

const isBlank = ({ text }: Line): boolean => text.trim() === ""

/** Lines that belong together: blank ones stand between. */
const blocksOf = (lines: ReadonlyArray<Line>): ReadonlyArray<ReadonlyArray<Line>> => {
  const blocks: Array<Array<Line>> = []
  let open = false
  for (const line of lines) {
    if (isBlank(line)) open = false
    else if (open) blocks.at(-1)!.push(line)
    else {
      blocks.push([line])
      open = true
    }
  }
  return blocks
}

/** Comments, styles and regions say nothing. */
const isAside = ([first]: ReadonlyArray<Line>): boolean => /^(NOTE|STYLE|REGION)(\s|$)/.test(first?.text ?? "")

/**
 * Reads WebVTT: what browsers and recorders write. Voices become speakers, their exact times go to the sentences; tags,
 * cue settings and identifiers are passed over, and so are blocks of notes, styles and regions.
 */
export const parseWebVtt = (text: string): Result.Result<RecognizedTranscript, TranscriptUnreadable> => {
  const lines = linesOf(text)
  if (Result.isFailure(lines)) return Result.fail(lines.failure)
  const [header = [], ...blocks] = blocksOf(lines.success)
  const [first = { text: "", number: 1 }, ...head] = header
  if (first.number !== 1 || !/^WEBVTT(\s|$)/.test(first.text)) {
    return Result.fail(problemIn({ ...first, number: 1 }, 0, "a WebVTT file must begin with WEBVTT"))
  }
  const cues: Array<Cue> = []
  let sentences = 0
  // Some writers leave out the blank line after the header.
  const headCue = head.findIndex(isTimesLine)
  for (const block of headCue === -1 ? blocks : [head.slice(headCue), ...blocks]) {
    if (isAside(block)) continue
    if (cues.length === MAX_TRANSCRIPT_SEGMENTS) return Result.fail(problemIn(block[0]!, 0, tooManySegments))
    const cue = readCue(block, MAX_TRANSCRIPT_SENTENCES - sentences)
    if (Result.isFailure(cue)) return Result.fail(cue.failure)
    sentences += cue.success.voices.length
    if (sentences > MAX_TRANSCRIPT_SENTENCES) return Result.fail(problemIn(block[0]!, 0, tooManySentences))
    cues.push(cue.success)
  }
  return Result.succeed(transcriptOfCues(cues, languageIn(head)))
}

/** A cue: an identifier, which may be left out, its times, its text. */
const readCue = (block: ReadonlyArray<Line>, maxVoices: number): Result.Result<Cue, TranscriptUnreadable> => {
  const times = block.slice(0, 2).find(isTimesLine)
  if (times === undefined) {
    // Where they were meant to be: below an identifier, which may be any text, or first.
    const meant = block.slice(0, 2).find(({ text }) => /^\s*\d+:\d/.test(text)) ?? block[0]!
    return Result.fail(problemIn(meant, 0, "a cue's times, with --> between them, must stand here"))
  }
  const lines = block.slice(block.indexOf(times) + 1)
  const stray = lines.find(isTimesLine)
  if (stray !== undefined) return Result.fail(problemIn(stray, 0, "a blank line must stand before a cue"))
  return Result.map(readTimes(times), (read) => ({
    ...read,
    voices: voicesIn(lines.map(({ text }) => text).join("\n"), maxVoices)
  }))
}

/** `Language: en` in the header, as some services write it. */
const languageIn = (head: ReadonlyArray<Line>): string | null => {
  const [, language] = head.flatMap(({ text }) => [/^Language:\s*(\S+)\s*$/i.exec(text) ?? []].flat())
  return language !== undefined && isLanguageTag(language) ? language : null
}
