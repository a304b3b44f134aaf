import * as Result from "effect/Result"
import { MAX_TRANSCRIPT_HOURS, tooManyHours } from "./limits.ts"
import { type Line, problemIn, type TranscriptUnreadable } from "./problem.ts"

export interface Times {
  readonly startMs: number
  readonly endMs: number
}

/** What a format takes for times: a time, where it begins at `lastIndex`, and what may stand around it. */
interface TimesForm {
  /** Hours, minutes, seconds, fraction. */
  readonly time: RegExp
  readonly blank: RegExp
  /** What must follow the end. */
  readonly after: RegExp
}

/** SubRip, as players read it: hours may be left out; a comma or a point is before the fraction, which may be left out. */
const subRip: TimesForm = {
  time: /(?:(\d+):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?/y,
  blank: /\s*/y,
  after: /\s|$/y
}

/**
 * WebVTT, as the W3C has it (https://www.w3.org/TR/webvtt1/#collect-a-webvtt-timestamp): two digits of minutes and of
 * seconds, three behind a point, any number of hours. Behind the end anything may follow, as settings.
 */
const webVtt: TimesForm = {
  time: /(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})/y,
  blank: /[\t\f ]*/y,
  after: /[^\d]|$/y
}

/** Reads `00:00:01,000 --> 00:00:02,500 X1:40`; what follows the times is of no interest. */
export const readSubRipTimes = (line: Line): Result.Result<Times, TranscriptUnreadable> =>
  Result.flatMap(readTimes(line, subRip), (times) =>
    times.endMs < times.startMs
      ? Result.fail(problemIn(line, line.text.indexOf("-->") + 3, "the cue ends before it starts"))
      : Result.succeed(times)
  )

/** Reads `00:01.000 --> 00:02.500 position:10%`. A cue that ends before it starts is shown at its start only. */
export const readWebVttTimes = (line: Line): Result.Result<Times, TranscriptUnreadable> =>
  Result.map(readTimes(line, webVtt), ({ endMs, startMs }) => ({ startMs, endMs: Math.max(startMs, endMs) }))

const readTimes = (line: Line, form: TimesForm): Result.Result<Times, TranscriptUnreadable> => {
  const arrow = line.text.indexOf("-->")
  const start = readTimestamp(line, 0, form, arrow)
  if (Result.isFailure(start)) return Result.fail(start.failure)
  const end = readTimestamp(line, arrow + 3, form)
  return Result.map(end, (endMs) => ({ startMs: start.success, endMs }))
}

/** The offset behind what matches at an offset; the offset itself where nothing does. */
const behind = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** The time behind `from`, and blanks; before `arrow` nothing else may stand. */
const readTimestamp = (
  line: Line,
  from: number,
  { after, blank, time }: TimesForm,
  arrow?: number
): Result.Result<number, TranscriptUnreadable> => {
  const { text } = line
  const at = behind(blank, text, from)
  time.lastIndex = at
  const match = time.exec(text)
  const end = at + (match?.[0].length ?? 0)
  after.lastIndex = end
  const isWhole = match !== null && (arrow === undefined ? after.test(text) : behind(blank, text, end) === arrow)
  if (!isWhole) return Result.fail(problemIn(line, at, "a time such as 00:01:02.500 must stand here"))
  const [, hours = "0", minutes = "0", seconds = "0", fraction = ""] = match
  if (Number(minutes) > 59 || Number(seconds) > 59) {
    return Result.fail(problemIn(line, at, "minutes and seconds go up to 59"))
  }
  if (Number(hours) > MAX_TRANSCRIPT_HOURS) return Result.fail(problemIn(line, at, tooManyHours))
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  return Result.succeed(whole * 1000 + Number(fraction.padEnd(3, "0")))
}

/** `01:02:03.500`, as WebVTT writes it. */
export const timestampOf = (ms: number): string => {
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0")
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${String(ms % 1000).padStart(3, "0")}`
}
