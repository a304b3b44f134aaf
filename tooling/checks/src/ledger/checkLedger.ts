import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Finding } from "../finding.ts"
import { root } from "../project.ts"
import { parseSource } from "../syntax.ts"
import { at, type Ledger, ledgerFile, missingRows, type Proof, readLedger } from "./Ledger.ts"
import { testTitles, titlePattern } from "./testTitles.ts"

/** The text of a file of the repository; undefined if it does not exist. */
export type ReadFile = (path: string) => string | undefined

const readProjectFile: ReadFile = (path) => {
  const file = join(root, path)
  return existsSync(file) ? readFileSync(file, "utf8") : undefined
}

/** Checks the fidelity ledger: the rows of the specification, and the tests. */
export const checkLedger = (read: ReadFile = readProjectFile): ReadonlyArray<Finding> => {
  const text = read(ledgerFile)
  if (text === undefined) return [{ path: ledgerFile, line: 1, rule: "fidelity-ledger", message: "does not exist" }]
  const { ledger, findings } = readLedger(text)
  return [...findings, ...missingRows(ledger), ...missingTests(ledger, read)]
}

const isTemplate = (title: string): boolean => /%[sdifjoO#]|\$\w/.test(title)

/** Tests of rows that do not exist, or whose titles are not expanded. */
const missingTests = ({ rows }: Ledger, read: ReadFile): ReadonlyArray<Finding> => {
  const known = new Map<string, ReadonlySet<string> | undefined>()
  const titlesOf = (file: string) => {
    if (!known.has(file)) {
      const text = read(file)
      known.set(file, text === undefined ? undefined : testTitles(parseSource(file, text)))
    }
    return known.get(file)
  }
  const problemOf = ({ file, title }: Proof): ReadonlyArray<string> => {
    const titles = titlesOf(file)
    if (titles === undefined) return [`there is no file ${file}`]
    if (titles.has(title) && !isTemplate(title)) return []
    const isExpanded = [...titles].some((written) => isTemplate(written) && titlePattern(written).test(title))
    return isExpanded && !isTemplate(title) ? [] : [`${file} has no test "${title}"`]
  }
  return rows.flatMap(({ id, line, tests }) => tests.flatMap(problemOf).map(at(line, id)))
}
