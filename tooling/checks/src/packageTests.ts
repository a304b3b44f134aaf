import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { runTool } from "./processes.ts"
import { packagesAmong, projectFiles, root } from "./project.ts"
import { type PackageResult, readPackageResult } from "./reports.ts"

/** What this file reads of turbo's run summary. A task that came from the cache has no execution: it passed when it ran. */
interface TurboSummary {
  readonly tasks: ReadonlyArray<{
    readonly package: string
    readonly task: string
    readonly cache: { readonly status: "HIT" | "MISS" }
    readonly execution?: { readonly exitCode?: number | null }
  }>
}

/**
 * Runs every package's tests through turbo, and reads what each says of itself. Old reports are deleted first: what is
 * read afterwards was written in this run, or restored by turbo with the cached task that it belongs to.
 */
export const runPackageTests = async (): Promise<ReadonlyArray<PackageResult & { readonly name: string }>> => {
  const tested = packagesAmong(projectFiles()).filter(({ manifest }) => manifest.scripts?.test !== undefined)
  for (const { directory } of tested) rmSync(join(root, directory, ".reports"), { recursive: true, force: true })

  const turbo = await runTool(
    "turbo",
    ["run", "test", "--continue", "--concurrency=2", "--output-logs=errors-only", "--summarize"],
    { show: true }
  )
  const summaryFile = /^Summary:\s+(.+)$/m.exec(turbo.stdout)?.[1]
  const tasks = summaryFile ? (JSON.parse(readFileSync(summaryFile, "utf8")) as TurboSummary).tasks : []
  return tested.map(({ directory, manifest: { name } }) => {
    const task = tasks.find((each) => each.package === name && each.task === "test")
    const exitCode = task?.cache.status === "HIT" ? 0 : (task?.execution?.exitCode ?? undefined)
    const report = join(root, directory, ".reports/vitest.json")
    return { name, ...readPackageResult(existsSync(report) ? readFileSync(report, "utf8") : undefined, exitCode) }
  })
}
