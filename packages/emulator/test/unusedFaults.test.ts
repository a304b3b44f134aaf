import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"

const root = join(import.meta.dirname, "..")

interface Result {
  readonly title: string
  readonly status: string
  readonly failureMessages: ReadonlyArray<string>
}

test("vitest's fixture fails a test whose fault answered no request, and names the fault", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-faults-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const report = join(folder, "report.json")
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  const args = [vitest, "run", "--dir", "test/support/unusedFaults", "--reporter=json", `--outputFile=${report}`]
  const config = ["--config", join(import.meta.dirname, "support/unusedFaults/vitest.config.ts")]
  // The cache of compiled code is for the commands: to write vitest into it takes longer than to compile it.
  const env = { ...process.env, NODE_COMPILE_CACHE: undefined }
  await new Promise((resolve) => execFile(process.execPath, [...args, ...config], { cwd: root, env }, resolve))
  const { testResults } = JSON.parse(await readFile(report, "utf8")) as {
    readonly testResults: ReadonlyArray<{ readonly assertionResults: ReadonlyArray<Result> }>
  }
  const results = testResults.flatMap(({ assertionResults }) => assertionResults)
  expect(results.map(({ status, title }) => [title, status])).toEqual([
    ["used", "passed"],
    ["removed", "passed"],
    ["unused", "failed"],
    ["without a world", "passed"]
  ])
  expect(results[2]?.failureMessages.join()).toContain(
    'These faults answered no request:\n  fault1: GET /api/v2/user, [503,"reset"]'
  )
})
