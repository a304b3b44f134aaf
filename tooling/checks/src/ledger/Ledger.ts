import type { Finding } from "../finding.ts"
import { ownChoices, specification } from "./specification.ts"

/** The fidelity ledger: what the service does, which section specifies it, and which tests prove it. */

export const ledgerFile = "docs/fidelity.md"

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
  /** Its line of the page. */
  readonly line: number
}

export interface Ledger {
  readonly rows: ReadonlyArray<Row>
}

/** What the first line of every table says. */
export const columns = "| | What it does | Status | Setting | Proved by |"

/** Reads the ledger's page, whose tables have a row each line, and checks its shape. */
export const readLedger = (page: string): { readonly ledger: Ledger; readonly findings: ReadonlyArray<Finding> } => {
  const rows: Array<Row> = []
  const findings: Array<Finding> = []
  let section = ""
  for (const [index, line] of page.split("\n").entries()) {
    if (line.startsWith("## ")) section = line.slice(3)
    if (!line.startsWith("| ") || line === columns) continue
    // A bar within a cell is escaped.
    const [before, id, text, status, setting, proofs, after, ...more] = line
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim())
    const tests = proofs === "" ? [] : (proofs?.split("<br>") ?? []).map(proofOf)
    if (before !== "" || id === undefined || status === undefined || after !== "" || more.length > 0) {
      findings.push({ ...at(index + 1, line.slice(0, 20))("has not five columns") })
      continue
    }
    const row = { id: plain(id), section, status, setting: plain(setting ?? "") || null, text: plain(text ?? "") }
    if (tests.includes(undefined))
      findings.push(at(index + 1, row.id)("has a proof that is not [file](../path/of/file): title"))
    rows.push({ ...row, tests: tests.filter((proof) => proof !== undefined), line: index + 1 })
  }
  return {
    ledger: { rows },
    findings: [...findings, ...rows.flatMap((row) => problemsOf(row, rows).map(at(row.line, row.id)))]
  }
}

const proofOf = (text: string): Proof | undefined => {
  const [, name, file = "", title = ""] = /^\[([^\]]+)\]\(\.\.\/([^)]+)\): (.+)$/.exec(text) ?? []
  return name === undefined || name !== file.split("/").at(-1) ? undefined : { file, title: plain(title) }
}

/** The text of a cell. */
const plain = (cell: string): string => cell.replaceAll("&lt;", "<").replaceAll(/\\([|*_$])/g, "$1")

/** A finding at a row. */
export const at =
  (line: number, id: string) =>
  (message: string): Finding => ({ path: ledgerFile, line, rule: "fidelity-ledger", message: `${id}: ${message}` })

const problemsOf = (row: Row, rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const home = specification.find((section) => section.rows.includes(row.id))?.title ?? ownChoices
  const problems: Array<string> = []
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
