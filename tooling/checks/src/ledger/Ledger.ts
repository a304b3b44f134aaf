import type { Finding } from "../finding.ts"
import { ownChoices, specification } from "./specification.ts"

/** The fidelity ledger: what the service does, where that is said, and which test proves it. */

export const ledgerFile = "docs/fidelity.json"
export const ledgerPage = "docs/fidelity.md"

const statuses = ["specified", "evidence", "assumed"] as const

/** A test, or a group of tests, by its file (from the root) and its title as it is written there. */
export interface Proof {
  readonly file: string
  readonly title: string
}

/** One behaviour. */
export interface Row {
  readonly id: string
  readonly section: string
  /** `specified`: the specification says so; `evidence`: public documents of such services show it; `assumed`: our choice. */
  readonly status: string
  /** What changes it, where a user can. */
  readonly knob: string | null
  readonly text: string
  readonly tests: ReadonlyArray<Proof>
}

export interface Ledger {
  readonly rows: ReadonlyArray<Row>
}

const keys = ["id", "section", "status", "knob", "text", "tests"]

/** Reads the ledger, and what is wrong with its shape. */
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
  if (rows.find(({ id }) => id === row.id) !== row) problems.push("is there twice")
  if (row.section !== home) problems.push(`belongs to the section "${home}"`)
  if (!(statuses as ReadonlyArray<string>).includes(row.status)) problems.push(`has no status like ${row.status}`)
  if (home === ownChoices && !/^C\d+$/.test(row.id))
    problems.push("is nothing that has a row, and no choice of ours: C and a number")
  if (home === ownChoices && row.status === "specified") problems.push("is no choice of our own if it is specified")
  if (row.text.trim() === "") problems.push("says nothing")
  if (row.tests.length === 0) problems.push("is proved by no test")
  return problems
}

/** What the specification and the decisions have, and the ledger has not. */
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
