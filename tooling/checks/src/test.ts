/**
 * `pnpm test`: everything. The checks, the build, every package's tests; then a table, and as the very last line
 * `N passed, N failed` (`, N skipped` if any were). A check counts as one, as do the build and the fidelity ledger, whose
 * proofs have to be among the tests that passed.
 *
 * With `--repeat-failed`, which `.ci/run` passes, a package that failed runs once more, alone, after all others. Its second
 * result counts, and each test that passed only then is named as `flaky`.
 */
import { confirmLedger } from "./ledger/confirmLedger.ts"
import { runPackageTests } from "./packageTests.ts"
import { formatCounts, formatTable, sum } from "./reports.ts"
import { runBuild, runSteps } from "./steps.ts"

const outcomes = [...(await runSteps()), await runBuild()]
const packages = await runPackageTests({ repeat: process.argv.includes("--repeat-failed") })
const unconfirmed = confirmLedger()

const ledgerRow = "fidelity ledger"
const rows = [
  ...outcomes.map(
    ({ name, passed }) => [name, { passed: passed ? 1 : 0, failed: passed ? 0 : 1, skipped: 0 }] as const
  ),
  ...packages.map(({ name, counts }) => [name, counts] as const),
  [
    ledgerRow,
    { passed: unconfirmed.length === 0 ? 1 : 0, failed: unconfirmed.length === 0 ? 0 : 1, skipped: 0 }
  ] as const
]
const failures = [
  ...outcomes.filter(({ passed }) => !passed).map(({ name }) => name),
  ...packages.flatMap(({ failed, name, problems }) => [...failed, ...problems].map((failure) => `${name}: ${failure}`)),
  ...unconfirmed.map((problem) => `${ledgerRow}: ${problem}`)
]
const total = sum(rows.map(([, counts]) => counts))

console.log(`\n${formatTable(rows)}\n`)
for (const { name, skipped } of packages) for (const test of skipped) console.log(`skipped  ${name}: ${test}`)
for (const { flaky, name } of packages) for (const test of flaky) console.log(`flaky  ${name}: ${test}`)
for (const failure of failures) console.log(`FAILED  ${failure}`)
console.log(formatCounts(total))
process.exitCode = total.failed === 0 ? 0 : 1
