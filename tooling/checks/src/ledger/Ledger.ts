import type { Finding } from "../finding.ts"
import { ownChoices, specification } from "./specification.ts"

/** The fidelity ledger: what the service does, which section specifies it, and which tests prove it. */

export const ledgerFile = "docs/fidelity.json"
export const ledgerPage = "docs/fidelity.md"

const statuses = ["specified", "evidence", "assumed"] as const

/** A test, or a group of tests, by its file (from the root) and its title as it runs: `%s` and `$name` are expanded. */
export interface Proof {
  readonly file: string
  readonly title: string
}

/** One behaviour. */
export interface Row {
  readonly id: string
  readonly section: string
  /** `specified`: by the specification; `evidence`: by public documents of such services; `assumed`: our choice. */
  readonly status: string
  /** The setting that changes it, if a user can. */
  readonly setting: string | null
  readonly text: string
  readonly tests: ReadonlyArray<Proof>
}

export interface Ledger {
  readonly rows: ReadonlyArray<Row>
}

const keys = ["id", "section", "status", "setting", "text", "tests"]

/** Reads the ledger and checks its shape. */
export const readLedger = (text: string): { readonly ledger: Ledger; readonly findings: ReadonlyArray<Finding> } => {
  const { rows } = JSON.parse(text) as Ledger
  const lines = text.split("\n")
  return { ledger: { rows }, findings: rows.flatMap((row) => problemsOf(row, rows).map(at(lines, row.id))) }
}

/** A finding at the line on which the row begins. */
export const at =
  (lines: ReadonlyArray<string>, id: string) =>
  (message: string): Finding => ({
    path: ledgerFile,
    line: Math.max(1, lines.findIndex((line) => line.includes(`"id": ${JSON.stringify(id)}`)) + 1),
    rule: "fidelity-ledger",
    message: `${id}: ${message}`
  })

const problemsOf = (row: Row, rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const home = specification.find((section) => section.rows.includes(row.id))?.title ?? ownChoices
  const problems: Array<string> = []
  if (Object.keys(row).join() !== keys.join()) problems.push(`has the keys ${Object.keys(row)}, not ${keys}`)
  if (rows.find(({ id }) => id === row.id) !== row) problems.push("exists twice")
  if (row.section !== home) problems.push(`belongs to the section "${home}"`)
  if (!(statuses as ReadonlyArray<string>).includes(row.status)) problems.push(`has no status like ${row.status}`)
  if (home === ownChoices && !/^C\d+$/.test(row.id))
    problems.push("is not in the specification, and is not named as a choice of ours (C and a number)")
  if (home === ownChoices && row.status === "specified") problems.push("is a choice of ours, so it cannot be specified")
  if (row.text.trim() === "") problems.push("has no text")
  if (row.tests.length === 0) problems.push("has no test")
  return problems
}

/** Rows of the specification and the decisions that the ledger lacks. */
export const missingRows = ({ rows }: Ledger): ReadonlyArray<Finding> => {
  const known = new Set(rows.map(({ id }) => id))
  return specification.flatMap(({ title, rows: required }) =>
    required
      .filter((id) => !known.has(id))
      .map((id) => ({
        path: ledgerFile,
        line: 1,
        rule: "fidelity-ledger",
        message: `${id} (${title}) has no row`
      }))
  )
}
