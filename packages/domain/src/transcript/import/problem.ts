import * as Schema from "effect/Schema"

/** Where a transcript cannot be read. Lines and columns count from 1; a column is one Unicode code point. */
export class TranscriptUnreadable extends Schema.TaggedError<TranscriptUnreadable>()("TranscriptUnreadable", {
  problem: Schema.String,
  line: Schema.Int,
  column: Schema.Int
}) {
  override get message(): string {
    return `Line ${this.line}, column ${this.column}: ${this.problem}`
  }
}

/** A line of a text, as editors number it. */
export interface Line {
  readonly text: string
  readonly number: number
}

/** The lines of a file, whoever wrote it: with or without a byte order mark, ended by LF, CRLF or CR. */
export const linesOf = (text: string): ReadonlyArray<Line> =>
  text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .map((line, index) => ({ text: line, number: index + 1 }))

/** A problem `offset` code units into the line. */
export const problemIn = (line: Line, offset: number, problem: string): TranscriptUnreadable =>
  new TranscriptUnreadable({ problem, line: line.number, column: columnAt(line.text, offset) })

/** A problem `offset` code units into the whole text. */
export const problemAt = (text: string, offset: number, problem: string): TranscriptUnreadable => {
  const before = linesOf(text.slice(0, offset))
  const last = before.at(-1)!
  return new TranscriptUnreadable({ problem, line: last.number, column: columnAt(last.text, last.text.length) })
}

const columnAt = (text: string, offset: number): number => [...text.slice(0, offset)].length + 1
