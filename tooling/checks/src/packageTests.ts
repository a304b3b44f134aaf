import { existsSync, readFileSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { runTool } from "./processes.ts"
import { packagesAmong, projectFiles, root } from "./project.ts"
import { type PackageResult, passedOnlyThen, readPackageResult } from "./reports.ts"

/** What this file reads of turbo's run summary. A task that came from the cache has no execution: it passed when it ran. */
interface TurboSummary {
  readonly tasks: ReadonlyArray<{
    readonly package: string
    readonly task: string
    readonly cache: { readonly status: "HIT" | "MISS" }
    readonly execution?: { readonly exitCode?: number | null }
  }>
}

/** A package's result, and what failed at first and passed in the second run. */
export interface TestedPackage extends PackageResult {
  readonly name: string
  readonly flaky: ReadonlyArray<string>
}

interface Tested {
  readonly name: string
  readonly directory: string
}

const reportOf = ({ directory }: Tested) => join(root, directory, ".reports/vitest.json")

/**
 * Runs the tests of packages that are built through turbo, one package after the other, and reads their reports. Old reports are
 * deleted first: what is read afterwards was written in this run, or restored by turbo with the cached task that it belongs to.
 */
const runTests = async (
  tested: ReadonlyArray<Tested>,
  parameters: ReadonlyArray<string> = []
): Promise<ReadonlyArray<PackageResult>> => {
  for (const each of tested) rmSync(dirname(reportOf(each)), { recursive: true, force: true })
  const filters = tested.map(({ name }) => `--filter=${name}`)
  const turbo = await runTool(
    "turbo",
    [
      "run",
      "test",
      ...filters,
      "--only",
      "--continue",
      "--concurrency=1",
      ...parameters,
      "--output-logs=errors-only",
      "--summarize"
    ],
    { show: true }
  )
  const summaryFile = /^Summary:\s+(.+)$/m.exec(turbo.stdout)?.[1]
  const tasks = summaryFile ? (JSON.parse(readFileSync(summaryFile, "utf8")) as TurboSummary).tasks : []
  return tested.map((each) => {
    const task = tasks.find(({ package: name, task }) => name === each.name && task === "test")
    const exitCode = task?.cache.status === "HIT" ? 0 : (task?.execution?.exitCode ?? undefined)
    const report = reportOf(each)
    return readPackageResult(existsSync(report) ? readFileSync(report, "utf8") : undefined, exitCode)
  })
}

/** Runs each package that failed once more, one after the other; its second result counts. */
export const repeatFailed = async <Package extends { readonly name: string }>(
  tested: ReadonlyArray<Package>,
  first: ReadonlyArray<PackageResult>,
  runAlone: (one: Package) => Promise<PackageResult>
): Promise<ReadonlyArray<TestedPackage>> => {
  const results: Array<TestedPackage> = []
  for (const [index, each] of tested.entries()) {
    const result = first[index]!
    const second = result.counts.failed === 0 ? undefined : await runAlone(each)
    const flaky = second === undefined ? [] : passedOnlyThen(result, second)
    results.push({ name: each.name, ...(second ?? result), flaky })
  }
  return results
}

/** The package whose tests take nearly as long as those of all others, and packages that take as long as the difference. */
const half = new Set(["@tapedeck/suites", "@tapedeck/client", "@tapedeck/signing"])

/**
 * Runs every package's tests, two packages at a time, because many tests wait for processes and time-outs: two halves, each one
 * package after the other. With `repeat`, the tests of a package that failed run once more, alone, after all others.
 */
export const runPackageTests = async ({
  repeat
}: {
  readonly repeat: boolean
}): Promise<ReadonlyArray<TestedPackage>> => {
  const all = packagesAmong(projectFiles())
    .filter(({ manifest }) => manifest.scripts?.test !== undefined)
    .map(({ directory, manifest: { name } }): Tested => ({ name, directory }))
  const groups = [all.filter(({ name }) => !half.has(name)), all.filter(({ name }) => half.has(name))]
  const tested = groups.flat()
  const first = (await Promise.all(groups.map((group) => runTests(group)))).flat()
  if (!repeat) return tested.map(({ name }, index) => ({ name, ...first[index]!, flaky: [] }))
  return repeatFailed(tested, first, async (each) => {
    console.log(`\nrepeating the tests of ${each.name}`)
    const [second] = await runTests([each], ["--force"])
    return second!
  })
}
