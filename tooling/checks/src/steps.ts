import { type Finding, formatFinding } from "./finding.ts"
import { checkHouse } from "./house.ts"
import { runTool } from "./processes.ts"

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

/** Runs a task in every package that has it; turbo keeps what has not changed. */
const inPackages =
  (task: string): Step["run"] =>
  async () => {
    const turbo = await runTool("turbo", [
      "run",
      task,
      "--continue",
      "--concurrency=2",
      "--output-logs=errors-only",
      "--log-prefix=none",
      "--log-order=grouped"
    ])
    return { passed: turbo.status === 0, report: turbo.status === 0 ? [] : [turbo.stdout.trim(), turbo.stderr.trim()] }
  }

const types: Step = { name: "types and Effect's lints", run: inPackages("typecheck") }

const build: Step = { name: "build", run: inPackages("build") }

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
    if (biome.status === 0) return { passed: true, report: [] }
    return { passed: false, report: readFindings(biome, readBiome) }
  }
}

interface BiomeReport {
  readonly diagnostics: ReadonlyArray<{
    readonly category: string
    readonly message: string
    readonly location?: { readonly path?: string; readonly start?: { readonly line: number } }
  }>
}

const readBiome = (report: BiomeReport): ReadonlyArray<Finding> =>
  report.diagnostics.map(({ category, message, location }) => ({
    path: location?.path ?? "biome.json",
    line: location?.start?.line || 1,
    rule: category,
    message: category === "format" ? "is not formatted: biome check --write" : message
  }))

const unused: Step = {
  name: "unused files, exports and dependencies (knip)",
  run: async () => {
    const knip = await runTool("knip", ["--reporter=json", "--treat-config-hints-as-errors", "--no-progress"])
    if (knip.status === 0) return { passed: true, report: [] }
    return { passed: false, report: [...readFindings(knip, readKnip), knip.stderr.trim()] }
  }
}

interface KnipReport {
  readonly issues: ReadonlyArray<Readonly<Record<string, unknown>> & { readonly file: string }>
}

const readKnip = (report: KnipReport): ReadonlyArray<Finding> =>
  report.issues.flatMap((issue) =>
    Object.entries(issue).flatMap(([kind, items]) =>
      Array.isArray(items)
        ? items.flat().map((item: { readonly name: string; readonly line?: number }) => ({
            path: issue.file,
            line: item.line ?? 1,
            rule: `knip/${kind}`,
            message: kind === "files" ? "is used nowhere" : item.name
          }))
        : []
    )
  )

const house: Step = {
  name: "our own rules (tooling/checks)",
  run: async () => {
    const { findings, exemptions } = checkHouse()
    const exempted = exemptions.map(({ path, line, kind, reason }) => `${path}:${line} allow-${kind} ${reason}`)
    return { passed: findings.length === 0, report: [...findings.map(formatFinding), ...exempted] }
  }
}

/** What `pnpm check` runs, in this order. */
const steps: ReadonlyArray<Step> = [house, style, unused, types]

/** Reads a tool's JSON; a tool that failed without any is shown as it spoke. */
const readFindings = <Report>(
  tool: { readonly stdout: string; readonly stderr: string },
  read: (report: Report) => ReadonlyArray<Finding>
): ReadonlyArray<string> => {
  try {
    return read(JSON.parse(tool.stdout) as Report).map(formatFinding)
  } catch {
    return [tool.stdout.trim(), tool.stderr.trim()]
  }
}

interface NamedOutcome {
  readonly name: string
  readonly passed: boolean
}

/** Runs one step and prints what it reports. */
const runStep = async ({ name, run }: Step): Promise<NamedOutcome> => {
  const { passed, report } = await run()
  console.log(`${passed ? "passed" : "FAILED"}  ${name}`)
  for (const line of report) if (line !== "") console.log(line.replaceAll(/^/gm, "  "))
  return { name, passed }
}

/** Runs what `pnpm check` consists of, one step after another. */
export const runSteps = async (): Promise<ReadonlyArray<NamedOutcome>> => {
  const outcomes: Array<NamedOutcome> = []
  for (const step of steps) outcomes.push(await runStep(step))
  return outcomes
}

export const runBuild = (): Promise<NamedOutcome> => runStep(build)
