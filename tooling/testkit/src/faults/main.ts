/** `pnpm test:faults`: plants faults one by one, and says whether the suite of the package that has the fault finds each. */
import { execFile } from "node:child_process"
import { readFile, rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { parseArgs, promisify } from "node:util"
import { type Fault, faults, suites } from "./faults.ts"
import { variable } from "./plantedFault.ts"

const cwd = fileURLToPath(new URL("../../", import.meta.url))
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url))

/** Where vitest writes its report, as every run of a package does. */
const reportFile = fileURLToPath(new URL("../../.reports/vitest.json", import.meta.url))

/** Runs a suite; returns how many of its tests passed and failed. */
const run = async ({ file, tests }: { readonly file: string; readonly tests?: string }, fault?: Fault) => {
  const args = [vitest, "run", file, "--bail=1", ...(tests === undefined ? [] : ["-t", tests])]
  const env = { ...process.env, ...(fault !== undefined && { [variable]: JSON.stringify(fault) }) }
  const options = { cwd, env, maxBuffer: 1024 ** 3 }
  await rm(reportFile, { force: true })
  // It ends with an exit code of its own if a test fails.
  await promisify(execFile)(process.execPath, args, options).catch(() => {})
  const { numFailedTests, numPassedTests } = JSON.parse(await readFile(reportFile, "utf8")) as {
    readonly numFailedTests: number
    readonly numPassedTests: number
  }
  return { passed: numPassedTests, failed: numFailedTests }
}

const refuse = (message: string): never => {
  console.error(message)
  process.exit(2)
}

const chosenPackages = (): ReadonlyArray<string> => {
  try {
    return parseArgs({ options: { only: { type: "string", multiple: true } } }).values.only ?? Object.keys(suites)
  } catch (error) {
    return refuse((error as Error).message)
  }
}

const names = chosenPackages()
const unknown = names.filter((name) => suites[name] === undefined)
if (unknown.length > 0) refuse(`--only: ${unknown.join(", ")} is none of ${Object.keys(suites).join(", ")}`)
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
}
console.log(`${chosen.length - missed} of ${chosen.length} faults found`)
process.exitCode = missed === 0 ? 0 : 1
