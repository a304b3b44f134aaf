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

/**
 * Runs the tests of a package that is built through turbo, and reads its report. The old report is deleted first: what is read
 * afterwards was written in this run, or restored by turbo with the cached task that it belongs to.
 */
const runTests = async (tested: Tested, parameters: ReadonlyArray<string> = []): Promise<PackageResult> => {
  const report = join(root, tested.directory, ".reports/vitest.json")
  rmSync(dirname(report), { recursive: true, force: true })
  const fixed = [`--filter=${tested.name}`, "--only", "--output-logs=errors-only", "--summarize"]
  const turbo = await runTool("turbo", ["run", "test", ...fixed, ...parameters], { show: true })
  const summaryFile = /^Summary:\s+(.+)$/m.exec(turbo.stdout)?.[1]
  const tasks = summaryFile ? (JSON.parse(readFileSync(summaryFile, "utf8")) as TurboSummary).tasks : []
  const task = tasks.find(({ package: name, task }) => name === tested.name && task === "test")
  const exitCode = task?.cache.status === "HIT" ? 0 : (task?.execution?.exitCode ?? undefined)
  return readPackageResult(existsSync(report) ? readFileSync(report, "utf8") : undefined, exitCode)
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

/** The packages whose tests take longest, which start first. */
const longest = ["@tapedeck/suites", "@tapedeck/console", "@tapedeck/server", "@tapedeck/emulator"]

const startOf = ({ name }: Tested): number => (longest.includes(name) ? longest.indexOf(name) : longest.length)

/**
 * Runs every package's tests, two packages at a time, because many tests wait for processes and time-outs. With `repeat`, the tests
 * of a package that failed run once more, alone, after all others.
 */
export const runPackageTests = async ({
  repeat
}: {
  readonly repeat: boolean
}): Promise<ReadonlyArray<TestedPackage>> => {
  const all = packagesAmong(projectFiles())
    .filter(({ manifest }) => manifest.scripts?.test !== undefined)
    .map(({ directory, manifest: { name } }): Tested => ({ name, directory }))
  const results = new Map<Tested, PackageResult>()
  const waiting = all.toSorted((a, b) => startOf(a) - startOf(b))
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) results.set(next, await runTests(next))
  }
  await Promise.all([work(), work()])
  const first = all.map((each) => results.get(each)!)
  if (!repeat) return all.map(({ name }, index) => ({ name, ...first[index]!, flaky: [] }))
  return repeatFailed(all, first, async (each) => {
    console.log(`\nrepeating the tests of ${each.name}`)
    return runTests(each, ["--force"])
  })
}
