import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { formatFinding } from "./finding.ts"
import type { CheckedRepository } from "./ownRules.ts"
import { type Ended, runTool } from "./processes.ts"
import { countFences } from "./rules/fences.ts"
import { readBiome, readKnip, readReport } from "./toolReports.ts"
import { checkTypes } from "./typePrograms.ts"

/** One part of `pnpm check`. */
interface Step {
  readonly name: string
  readonly run: () => Promise<Outcome>
}

interface Outcome {
  readonly passed: boolean
  /** What to show the reader: findings, one a line, and remarks. */
  readonly report: ReadonlyArray<string>
}

const types: Step = {
  name: "types and Effect's lints",
  run: async () => {
    const report = await checkTypes()
    return { passed: report.length === 0, report }
  }
}

/** Every package that has a build; turbo reuses unchanged results. */
const build: Step = {
  name: "build",
  run: async () => {
    const turbo = await runTool("turbo", [
      "run",
      "build",
      "--continue",
      "--concurrency=2",
      "--output-logs=errors-only",
      "--log-prefix=none",
      "--log-order=grouped"
    ])
    return { passed: turbo.status === 0, report: turbo.status === 0 ? [] : [turbo.stdout.trim(), turbo.stderr.trim()] }
  }
}

const style: Step = {
  name: "lint and format (biome)",
  run: async () => {
    const biome = await runTool("biome", [
      "check",
      "--reporter=json",
      "--error-on-warnings",
      "--diagnostic-level=warn",
      "--max-diagnostics=none"
    ])
    return outcome(biome, readBiome)
  }
}

const unused: Step = {
  name: "unused files, exports and dependencies (knip)",
  run: async () => {
    const parameters = ["--treat-config-hints-as-errors", "--no-progress"]
    const knip = outcome(await runTool("knip", [...parameters, "--reporter=json"]), readKnip)
    if (knip.passed) return knip
    // The JSON omits entries of knip.jsonc that match nothing.
    const { stderr: hints } = await runTool("knip", parameters)
    return { ...knip, report: [...knip.report, hints.trim()] }
  }
}

const ownRules: Step = {
  name: "our own rules (tooling/checks)",
  run: async () => {
    const thread = new Worker(new URL("./ownRulesThread.ts", import.meta.url))
    const [{ exemptions, fences, findings }] = (await once(thread, "message")) as [CheckedRepository]
    const exempted = exemptions.map(({ path, line, kind, reason }) => `${path}:${line} allow-${kind} ${reason}`)
    return { passed: findings.length === 0, report: [...findings.map(formatFinding), ...exempted, countFences(fences)] }
  }
}

const outcome = (tool: Ended, read: Parameters<typeof readReport>[1]): Outcome => {
  if (tool.status === 0) return { passed: true, report: [] }
  const { findings, remarks } = readReport(tool, read)
  return { passed: false, report: [...findings.map(formatFinding), ...remarks] }
}

const steps: ReadonlyArray<Step> = [ownRules, types, style, unused]

interface NamedOutcome {
  readonly name: string
  readonly passed: boolean
}

/** Runs one step and prints what it reports. */
const runStep = async ({ name, run }: Step): Promise<NamedOutcome> => {
  const { passed, report } = await run().catch((error: Error) => ({ passed: false, report: [error.message] }))
  console.log(`${passed ? "passed" : "FAILED"}  ${name}`)
  for (const line of report) if (line !== "") console.log(line.replaceAll(/^/gm, "  "))
  return { name, passed }
}

/** Runs what `pnpm check` consists of. Each step has a process or a thread of its own. */
export const runSteps = (): Promise<ReadonlyArray<NamedOutcome>> => Promise.all(steps.map(runStep))

export const runBuild = (): Promise<NamedOutcome> => runStep(build)
