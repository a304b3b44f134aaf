/**
 * `pnpm test`: everything. The checks, the build, every package's tests; then a table, and as the very last line
 * `N passed, N failed` (`, N skipped` if any were). A check counts as one, as does the build.
 */
import { runPackageTests } from "./packageTests.ts"
import { formatCounts, formatTable, sum } from "./reports.ts"
import { runBuild, runSteps } from "./steps.ts"

const outcomes = [...(await runSteps()), await runBuild()]
const packages = await runPackageTests()

const rows = [
  ...outcomes.map(
    ({ name, passed }) => [name, { passed: passed ? 1 : 0, failed: passed ? 0 : 1, skipped: 0 }] as const
  ),
  ...packages.map(({ name, counts }) => [name, counts] as const)
]
const failures = [
  ...outcomes.filter(({ passed }) => !passed).map(({ name }) => name),
  ...packages.flatMap(({ name, failures }) => failures.map((failure) => `${name}: ${failure}`))
]
const total = sum(rows.map(([, counts]) => counts))

console.log(`\n${formatTable(rows)}\n`)
for (const failure of failures) console.log(`FAILED  ${failure}`)
console.log(formatCounts(total))
process.exitCode = total.failed === 0 ? 0 : 1
