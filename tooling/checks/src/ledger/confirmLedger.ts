import { existsSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { packagesAmong, projectFiles, root, type WorkspacePackage } from "../project.ts"
import { type Ledger, ledgerFile, type Proof, readLedger } from "./Ledger.ts"

/** What this reads of a vitest report. */
interface Report {
  readonly testResults: ReadonlyArray<{ readonly name: string; readonly assertionResults: ReadonlyArray<RanTest> }>
}

interface RanTest {
  readonly ancestorTitles: ReadonlyArray<string>
  readonly title: string
  readonly status: string
}

/** A test that was run, and the file, from the root, that had it run. */
interface Assertion extends RanTest {
  readonly file: string
}

/** The tests of the package in this directory that ran; undefined where there is no report of it. */
export type ReadReport = (directory: string) => ReadonlyArray<Assertion> | undefined

const readPackageReport: ReadReport = (directory) => {
  const file = join(root, directory, ".reports/vitest.json")
  if (!existsSync(file)) return undefined
  return (JSON.parse(readFileSync(file, "utf8")) as Report).testResults.flatMap(({ assertionResults, name }) => {
    const path = relative(root, name).replaceAll("\\", "/")
    return assertionResults.map((each) => ({ ...each, file: path }))
  })
}

/**
 * The proofs that did not pass in the last run of the tests, by the reports that it left: of each row, every test that it
 * names has to have run, and none may have failed or been skipped. A test is its file's, unless the file is run by others,
 * as those of tooling/suites are.
 */
export const unconfirmedProofs = (
  { rows }: Ledger,
  packages: ReadonlyArray<WorkspacePackage>,
  read: ReadReport
): ReadonlyArray<string> => {
  const reports = new Map(packages.map(({ directory }) => [directory, read(directory)]))
  const problemOf = ({ file, title }: Proof): string | undefined => {
    const owner = packages.find(({ directory }) => file.startsWith(`${directory}/`))
    const assertions = owner === undefined ? undefined : reports.get(owner.directory)
    if (assertions === undefined) return "was not run"
    const inFile = assertions.filter((each) => each.file === file)
    const own = (inFile.length > 0 ? inFile : assertions).filter((each) =>
      [each.title, ...each.ancestorTitles].includes(title)
    )
    if (own.some(({ status }) => status === "failed")) return "failed"
    if (own.length === 0) return "was not run"
    return own.every(({ status }) => status === "passed") ? undefined : "was skipped"
  }
  return rows.flatMap(({ id, tests }) =>
    tests.flatMap((proof) => {
      const problem = problemOf(proof)
      return problem === undefined ? [] : [`${id}: "${proof.title}" (${proof.file}) ${problem}`]
    })
  )
}

/** Holds the ledger of the repository against the reports of the tests that were just run. */
export const confirmLedger = (): ReadonlyArray<string> => {
  const { ledger } = readLedger(readFileSync(join(root, ledgerFile), "utf8"))
  return unconfirmedProofs(ledger, packagesAmong(projectFiles()), readPackageReport)
}
