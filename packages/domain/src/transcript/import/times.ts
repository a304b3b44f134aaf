import * as Result from "effect/Result"
import { type Line, problemIn, type TranscriptUnreadable } from "./problem.ts"

export interface Times {
  readonly startMs: number
  readonly endMs: number
}

/** Hours may be left out; a comma or a point comes before the fraction, which may be left out too. */
const timestamp = /(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?/y

export const isTimesLine = ({ text }: Line): boolean => text.includes("-->")

/** Reads `00:01.000 --> 00:02,500 position:10%`; what follows the times is of no interest. */
export const readTimes = (line: Line): Result.Result<Times, TranscriptUnreadable> => {
  const arrow = line.text.indexOf("-->")
  const start = readTimestamp(line, 0, arrow)
  if (Result.isFailure(start)) return Result.fail(start.failure)
  const end = readTimestamp(line, arrow + 3, line.text.length)
  if (Result.isFailure(end)) return Result.fail(end.failure)
  if (end.success < start.success) return Result.fail(problemIn(line, arrow + 3, "the cue ends before it starts"))
  return Result.succeed({ startMs: start.success, endMs: end.success })
}

const readTimestamp = (line: Line, from: number, to: number): Result.Result<number, TranscriptUnreadable> => {
  const { text } = line
  let at = from
  while (at < to && /\s/.test(text[at]!)) at++
  timestamp.lastIndex = at
  const match = timestamp.exec(text)
  const after = at + (match?.[0].length ?? 0)
  // Before the arrow nothing else may stand; behind the second time settings may follow.
  const isWhole = match !== null && (to === text.length ? /^(\s|$)/ : /^\s*-->/).test(text.slice(after))
  if (!isWhole) return Result.fail(problemIn(line, at, "a time such as 00:01:02.500 must stand here"))
  const [, hours = "0", minutes = "0", seconds = "0", fraction = ""] = match
  if (Number(minutes) > 59 || Number(seconds) > 59) {
    return Result.fail(problemIn(line, at, "minutes and seconds go up to 59"))
  }
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  return Result.succeed(whole * 1000 + Number(fraction.padEnd(3, "0")))
}

/** `01:02:03.500`, as WebVTT writes it. */
export const timestampOf = (ms: number): string => {
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0")
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${String(ms % 1000).padStart(3, "0")}`
}
