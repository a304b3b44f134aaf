/** `pnpm test:faults`: plants faults one by one, and says whether the suite of the package that has the fault finds each. */
import { execFile } from "node:child_process"
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { faultVariable } from "@tapedeck/tsconfig/plantedFault.ts"
import { commandOptions } from "../support/commandOptions.ts"
import { type Fault, faults, type Suite, suites } from "./faults.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const execute = promisify(execFile)

const environmentWith = (fault: Fault | undefined) => ({
  ...process.env,
  ...(fault !== undefined && { [faultVariable]: JSON.stringify(fault) })
})

/** Builds what a suite needs, without turbo: its cache knows no faults. */
const build = async (built: string, fault?: Fault) => {
  await execute("npx", ["--no", "pnpm", "run", "build"], { cwd: join(root, built), env: environmentWith(fault) })
}

/** Runs a suite; returns how many of its tests passed and failed. */
const run = async ({ built, file, project = "tooling/suites", tests }: Suite, fault?: Fault) => {
  const cwd = join(root, project)
  if (built !== undefined) await build(built, fault)
  const vitest = join(cwd, "node_modules/vitest/vitest.mjs")
  const args = [vitest, "run", file, "--bail=1", ...(tests === undefined ? [] : ["-t", tests])]
  // What it starts is built already.
  const env = { ...environmentWith(fault), ...(built !== undefined && { TURBO_HASH: "built" }) }
  // Where vitest writes its report, as every run of a package does.
  const reportFile = join(cwd, ".reports/vitest.json")
  await rm(reportFile, { force: true })
  // It ends with an exit code of its own if a test fails.
  await execute(process.execPath, args, { cwd, env, maxBuffer: 1024 ** 3 }).catch(() => {})
  const { numFailedTests, numPassedTests } = JSON.parse(await readFile(reportFile, "utf8")) as {
    readonly numFailedTests: number
    readonly numPassedTests: number
  }
  return { passed: numPassedTests, failed: numFailedTests }
}

const { only: names } = commandOptions("test:faults", {
  only: { is: "names", of: Object.keys(suites), about: "package whose faults are planted" }
})
const chosen = faults.filter((fault) => names.includes(fault.package))

let missed = 0
for (const name of new Set(chosen.map((fault) => fault.package))) {
  const suite = suites[name]!
  const { failed, passed } = await run(suite)
  if (failed > 0 || passed === 0) throw new Error(`the suite of ${name} fails without a fault: ${suite.file}`)
  console.log(`${name}: ${passed} tests of ${suite.file} pass without a fault`)
  for (const fault of chosen.filter((one) => one.package === name)) {
    const isFound = (await run(suite, fault)).failed > 0
    if (!isFound) missed++
    console.log(`  ${isFound ? "found " : "MISSED"}  ${fault.title}`)
  }
  if (suite.built !== undefined) await build(suite.built)
}
console.log(`${chosen.length - missed} of ${chosen.length} faults found`)
process.exitCode = missed === 0 ? 0 : 1
