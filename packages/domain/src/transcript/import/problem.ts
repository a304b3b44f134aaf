import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { MAX_TRANSCRIPT_LINES, tooManyLines } from "./limits.ts"

/**
 * A problem at a line and a column, which count from 1. A column is one Unicode code point. A file may have one in each line: an error
 * takes ten times as long to make, because it has a stack.
 */
export interface Problem {
  readonly problem: string
  readonly line: number
  readonly column: number
}

/** A transcript is malformed. */
export class TranscriptUnreadable extends Schema.TaggedError<TranscriptUnreadable>()("TranscriptUnreadable", {
  problem: Schema.String,
  line: Schema.Int,
  column: Schema.Int
}) {
  override get message(): string {
    return `Line ${this.line}, column ${this.column}: ${this.problem}`
  }
}

/** A line of a text, with its number as in editors. */
export interface Line {
  readonly text: string
  readonly number: number
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d]
const lineBreak = /\r\n|\n|\r/g
/** Line breaks of SubRip, including those of a file that was converted twice. */
export const lineBreakOfSubRip = /\r\r\n|\r\n|\n|\r/g
const byteOrderMark = "\uFEFF"

/**
 * Returns the lines of a file, with or without a byte order mark, ended by LF, CRLF, CR or further line breaks of the format. Stops at the
 * first line beyond `MAX_TRANSCRIPT_LINES`.
 */
export const linesOf = (text: string, ends: RegExp = lineBreak): Result.Result<ReadonlyArray<Line>, Problem> => {
  const lines: Array<Line> = []
  let from = text.startsWith(byteOrderMark) ? 1 : 0
  for (const { 0: mark, index } of text.matchAll(ends)) {
    lines.push({ text: text.slice(from, index), number: lines.length + 1 })
    from = index + mark.length
    if (lines.length === MAX_TRANSCRIPT_LINES) {
      return Result.fail({ problem: tooManyLines, line: lines.length + 1, column: 1 })
    }
  }
  lines.push({ text: text.slice(from), number: lines.length + 1 })
  return Result.succeed(lines)
}

/** Returns a problem at an offset in the line, in code units. */
export const problemIn = (line: Line, offset: number, problem: string): Problem => ({
  problem,
  line: line.number,
  column: columnAt(line.text, 0, offset)
})

/** Returns a problem at an offset in the whole text, in code units. */
export const problemAt = (text: string, offset: number, problem: string): Problem => {
  let line = 1
  let from = text.startsWith(byteOrderMark) ? 1 : 0
  // Unit by unit: a match for each break takes a hundred times as long.
  for (let at = from; at < offset; at++) {
    const unit = text.charCodeAt(at)
    if (unit !== lineFeed && (unit !== carriageReturn || text.charCodeAt(at + 1) === lineFeed)) continue
    from = at + 1
    line++
  }
  return { problem, line, column: columnAt(text, from, offset) }
}

/** Returns the column of a position. Counts code points one by one, because a line can be as long as the file. */
const columnAt = (text: string, from: number, to: number): number => {
  let column = 1
  for (let at = from; at < to; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) column++
  return column
}
