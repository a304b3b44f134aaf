import * as Result from "effect/Result"
import type { Repairs } from "../../capture/Repairs.ts"
import { MAX_TRANSCRIPT_HOURS, tooManyHours } from "./limits.ts"
import { type Line, type Problem, problemIn } from "./problem.ts"
import { BEFORE_ZERO, ENDS_EARLY } from "./repairs.ts"

export interface Times {
  readonly startMs: number
  readonly endMs: number
}

/** Form of the times in a format: patterns of a time, which match at `lastIndex`, and of the text around it. */
interface TimesForm {
  /** Pattern of a time, with the groups sign, hours, minutes, seconds, fraction. */
  readonly time: RegExp
  readonly blank: RegExp
  /** Pattern of the text that must follow the end. */
  readonly after: RegExp
}

/**
 * Times of SubRip, as players read them: hours and fraction are optional, and a comma or a point precedes the fraction. A time before
 * 0, which tools that shift times write, is 0.
 */
const subRip: TimesForm = {
  time: /(?<sign>-)?(?:(?<hours>\d+):)?(?<minutes>\d{1,2}):(?<seconds>\d{1,2})(?:[.,](?<fraction>\d{1,3}))?/y,
  blank: /\s*/y,
  after: /\s|$/y
}

/**
 * Times of WebVTT (https://www.w3.org/TR/webvtt1/#collect-a-webvtt-timestamp): two digits of minutes and of seconds, three digits after a
 * point, any number of hours. Any text may follow the end, as settings.
 */
const webVtt: TimesForm = {
  time: /(?:(?<hours>\d+):)?(?<minutes>\d\d):(?<seconds>\d\d)\.(?<fraction>\d{3})/y,
  blank: /[\t\f ]*/y,
  after: /[^\d]|$/y
}

/** Reads the times of a cue. `repairs` records changes of them. */
export type ReadTimes = (line: Line, repairs: Repairs) => Result.Result<Times, Problem>

/** Reads `00:00:01,000 --> 00:00:02,500 X1:40`, and ignores the text after the times. */
export const readSubRipTimes: ReadTimes = (line, repairs) => readTimes(line, subRip, repairs)

/** Reads `00:01.000 --> 00:02.500 position:10%`. */
export const readWebVttTimes: ReadTimes = (line, repairs) => readTimes(line, webVtt, repairs)

/** Reads times in a form. A cue that ends before it starts gets its start as its end, as the W3C specifies. */
const readTimes = (line: Line, form: TimesForm, repairs: Repairs): Result.Result<Times, Problem> => {
  const arrow = line.text.indexOf("-->")
  const start = readTimestamp(line, 0, form, arrow)
  if (Result.isFailure(start)) return Result.fail(start.failure)
  const end = readTimestamp(line, arrow + 3, form)
  return Result.map(end, (endMs) => {
    const startMs = Math.max(0, start.success)
    if (start.success < 0) repairs.note(`line ${line.number}`, BEFORE_ZERO)
    if (endMs < startMs) repairs.note(`line ${line.number}`, ENDS_EARLY)
    return { startMs, endMs: Math.max(startMs, endMs) }
  })
}

/** Returns the offset after a match at an offset; the offset itself if there is no match. */
const behind = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** Reads the time at `from`, after blanks. No other text may precede `arrow`. */
const readTimestamp = (
  line: Line,
  from: number,
  { after, blank, time }: TimesForm,
  arrow?: number
): Result.Result<number, Problem> => {
  const { text } = line
  const at = behind(blank, text, from)
  time.lastIndex = at
  const match = time.exec(text)
  const end = at + (match?.[0].length ?? 0)
  after.lastIndex = end
  const isWhole = match !== null && (arrow === undefined ? after.test(text) : behind(blank, text, end) === arrow)
  if (!isWhole) return Result.fail(problemIn(line, at, "a time such as 00:01:02.500 must stand here"))
  const { fraction = "", hours = "0", minutes = "0", seconds = "0", sign } = match.groups ?? {}
  if (Number(minutes) > 59 || Number(seconds) > 59) {
    return Result.fail(problemIn(line, at, "minutes and seconds go up to 59"))
  }
  if (Number(hours) > MAX_TRANSCRIPT_HOURS) return Result.fail(problemIn(line, at, tooManyHours))
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  return Result.succeed((whole * 1000 + Number(fraction.padEnd(3, "0"))) * (sign === undefined ? 1 : -1))
}

/** Returns a time as WebVTT writes it: `01:02:03.500`. */
export const timestampOf = (ms: number): string => {
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0")
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${String(ms % 1000).padStart(3, "0")}`
}
