/** How many tests passed, failed and were skipped. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export const sum = (counts: ReadonlyArray<Counts>): Counts => ({
  passed: counts.reduce((total, each) => total + each.passed, 0),
  failed: counts.reduce((total, each) => total + each.failed, 0),
  skipped: counts.reduce((total, each) => total + each.skipped, 0)
})

/** The last line of `pnpm test`. */
export const formatCounts = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`

interface VitestReport {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly assertionResults: ReadonlyArray<{ readonly status: string; readonly fullName: string }>
  }>
}

export interface PackageResult {
  readonly counts: Counts
  /** The names of the tests that failed. */
  readonly failed: ReadonlyArray<string>
  /** What failed outside of tests, for the reader. */
  readonly problems: ReadonlyArray<string>
  /** The names of the tests that passed. */
  readonly passed: ReadonlyArray<string>
  /** The names of the tests that were skipped. */
  readonly skipped: ReadonlyArray<string>
}

/**
 * Adds up one package's vitest report. `report` is its text, undefined where none was written; `exitCode` is the test
 * task's, undefined where turbo never ran it. A file that failed without a failed test (it did not load) counts as one
 * failure, and so does a task that failed without saying in what.
 */
export const readPackageResult = (report: string | undefined, exitCode: number | undefined): PackageResult => {
  if (report === undefined || exitCode === undefined) {
    const reason = exitCode === undefined ? "the tests were not run" : `no report (exit code ${exitCode})`
    return { counts: { passed: 0, failed: 1, skipped: 0 }, failed: [], problems: [reason], passed: [], skipped: [] }
  }
  const files = (JSON.parse(report) as VitestReport).testResults
  const tests = files.flatMap((file) => file.assertionResults)
  const named = (isOne: (status: string) => boolean) =>
    tests.filter(({ status }) => isOne(status)).map(({ fullName }) => fullName)
  const failed = named((status) => status === "failed")
  const passed = named((status) => status === "passed")
  const skipped = named((status) => status !== "passed" && status !== "failed")
  const problems = files.filter(failedOutsideItsTests).map(({ name }) => `${name} failed outside its tests`)
  if (exitCode !== 0 && failed.length + problems.length === 0)
    problems.push(`no test failed, but the exit code is ${exitCode}`)
  const counts = { passed: passed.length, failed: failed.length + problems.length, skipped: skipped.length }
  return { counts, failed, problems, passed, skipped }
}

/** The tests that failed in the first of two runs and passed in the second, and what else failed, if nothing did in the second. */
export const passedOnlyThen = (first: PackageResult, second: PackageResult): ReadonlyArray<string> => [
  ...first.failed.filter((test) => second.passed.includes(test)),
  ...(second.counts.failed === 0 ? first.problems : [])
]

const failedOutsideItsTests = (file: VitestReport["testResults"][number]): boolean =>
  file.status === "failed" && !file.assertionResults.some(({ status }) => status === "failed")

/** Rows of a name and its counts, in columns. */
export const formatTable = (rows: ReadonlyArray<readonly [name: string, counts: Counts]>): string => {
  const width = Math.max(...rows.map(([name]) => name.length))
  const cell = (count: number, unit: string) => `${String(count).padStart(6)} ${unit}`
  return rows
    .map(([name, counts]) =>
      [
        name.padEnd(width),
        cell(counts.passed, "passed"),
        cell(counts.failed, "failed"),
        cell(counts.skipped, "skipped")
      ].join("  ")
    )
    .join("\n")
}
