import { elapsedText } from "./elapsed.ts"
import type { AttemptLog, LoggedAttempt } from "./subjects.ts"

/** The expected values of each attempt. */
export interface Comparison {
  /** The cells of the column, by attempt; there may be more than attempts. */
  readonly expected: ReadonlyArray<string>
  /** Returns whether the attempt at this index differs. */
  readonly differs: (attempt: LoggedAttempt | undefined, index: number) => boolean
}

const columns = ["", "#", "elapsed", "outcome", "status", "error"] as const

const cellsOf = (one: LoggedAttempt | undefined): ReadonlyArray<string> =>
  one === undefined
    ? ["–", "–", "", "", ""]
    : [String(one.attempt), elapsedText(one.elapsedMs), one.outcome, String(one.statusCode ?? ""), one.error ?? ""]

/** A log as a table under its title. Rows that differ are marked. */
export const logTable = ({ attempts, title }: AttemptLog, comparison?: Comparison): string => {
  const count = Math.max(attempts.length, comparison?.expected.length ?? 0)
  if (count === 0) return `${title}\n  no attempts`
  const rows = Array.from({ length: count }, (_, index) => {
    const [number, ...rest] = cellsOf(attempts[index])
    if (comparison === undefined) return ["", number!, ...rest]
    const mark = comparison.differs(attempts[index], index) ? "✗" : ""
    return [mark, number!, comparison.expected[index] ?? "–", ...rest]
  })
  const [mark, number, ...others] = columns
  const header = comparison === undefined ? [...columns] : [mark, number, "expected", ...others]
  return [title, ...aligned([header, ...rows])].join("\n")
}

/** Pads columns to one width, and omits empty ones. */
const aligned = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const [header, ...body] = rows
  const widths = header!.map((_, column) =>
    body.every((row) => row[column] === "") ? 0 : Math.max(...rows.map((row) => row[column]!.length))
  )
  const shown = [...widths.keys()].filter((column) => widths[column]! > 0)
  return rows.map((row) => `  ${shown.map((column) => row[column]!.padEnd(widths[column]!)).join("  ")}`.trimEnd())
}
