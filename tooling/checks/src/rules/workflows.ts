import { existsSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { type Finding, lineAt } from "../finding.ts"
import { root } from "../project.ts"

interface Step {
  readonly run?: string
  readonly uses?: string
  readonly with?: { readonly name?: string; readonly pattern?: string }
}

interface Job {
  readonly needs?: string | ReadonlyArray<string>
  readonly "timeout-minutes"?: number
  readonly steps?: ReadonlyArray<Step>
  readonly strategy?: { readonly matrix?: Readonly<Record<string, unknown>> }
}

interface Workflow {
  readonly permissions?: unknown
  readonly jobs?: Readonly<Record<string, Job>>
}

export const isWorkflow = (path: string): boolean => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(path)

/**
 * A workflow of GitHub's calls commands that a reader can run: scripts of the root's package.json, or executable files of this
 * repository. It states its permissions, which let it read only, and each job its time-out, and what it may write. An
 * action is named by the hash of a commit, which cannot be moved as a tag can, and its version stands beside it for the dependency
 * bot. A job that downloads artifacts follows a job that uploads them: the download of a pattern without artifacts is no error.
 */
export const checkWorkflow = (path: string, text: string, scripts: ReadonlySet<string>): ReadonlyArray<Finding> => {
  const finding = (of: string, message: string): Finding => ({
    path,
    line: lineAt(text, Math.max(0, text.indexOf(of))),
    rule: "workflow",
    message
  })
  const { jobs = {}, permissions } = parse(text) as Workflow
  const ofJobs = Object.entries(jobs).flatMap(([name, job]) => {
    const steps = job.steps ?? []
    const followed = followedJobs(job, jobs)
    return [
      ...(followed.has(name) ? [finding(`${name}:`, `${name} needs itself, by the jobs that it needs`)] : []),
      ...(job["timeout-minutes"] === undefined ? [finding(`${name}:`, `${name} has no timeout-minutes`)] : []),
      ...artifactsIn(steps, "download")
        .filter((wanted) => ![...followed].some((before) => isUploadedBy(jobs[before] ?? {}, wanted)))
        .map((wanted) => finding(`${name}:`, `${name} downloads ${wanted}, which no job that it needs uploads`)),
      ...steps.flatMap(({ run, uses }) => [
        ...(uses !== undefined && !isPinned(text, uses)
          ? [
              finding(
                uses,
                `${uses} is not named by the hash of a commit with its version as a comment: @HASH # v1.2.3`
              )
            ]
          : []),
        ...(run === undefined ? [] : commandsOf(run, job))
          .filter((command) => !isCommandOfRepository(command, scripts))
          .map((command) =>
            finding(run ?? "", `"${command}" calls no script of package.json and no file of the repository`)
          )
      ])
    ]
  })
  if (permissions === undefined) return [finding("", "the workflow does not state its permissions"), ...ofJobs]
  if (readsOnly(permissions)) return ofJobs
  return [finding("permissions:", "all jobs may write: state it in the permissions of the job that writes"), ...ofJobs]
}

const readsOnly = (permissions: unknown): boolean =>
  permissions === "read-all" ||
  (typeof permissions === "object" && Object.values(permissions ?? {}).every((access) => access !== "write"))

/** Names or patterns of the artifacts that a job's steps upload or download. */
const artifactsIn = (steps: ReadonlyArray<Step>, direction: "upload" | "download"): ReadonlyArray<string> =>
  steps
    .filter(({ uses = "" }) => uses.startsWith(`actions/${direction}-artifact@`))
    .map((step) => step.with?.pattern ?? step.with?.name ?? "artifact")

/** Names of the jobs that have ended when a job begins. The job's own is among them if its needs are a cycle. */
const followedJobs = ({ needs = [] }: Job, jobs: Readonly<Record<string, Job>>): ReadonlySet<string> => {
  const followed = new Set([needs].flat())
  // A set also iterates over what is added meanwhile.
  for (const name of followed) for (const before of [jobs[name]?.needs ?? []].flat()) followed.add(before)
  return followed
}

/** Returns whether a job uploads the artifact, or artifacts whose names begin as the pattern does. */
const isUploadedBy = ({ steps = [] }: Job, wanted: string): boolean => {
  const [start = ""] = wanted.split("*")
  return artifactsIn(steps, "upload").some((name) => (start === wanted ? name === wanted : name.startsWith(start)))
}

/** Returns whether each line that uses the action names a hash and a version. */
const isPinned = (text: string, uses: string): boolean =>
  /^[^@\s]+@[0-9a-f]{40}$/.test(uses) &&
  text
    .split("\n")
    .filter((line) => line.includes(uses))
    .every((line) => /# v\d+\.\d+\.\d+$/.test(line))

/** The lines of a step, one for each value of a matrix that it names. */
const commandsOf = (run: string, { strategy }: Job): ReadonlyArray<string> =>
  run
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [expression, key = ""] = /\$\{\{ *matrix\.(\w+) *\}\}/.exec(line) ?? []
      if (expression === undefined) return [line]
      const values = strategy?.matrix?.[key]
      return Array.isArray(values) ? values.map((value) => line.replace(expression, String(value))) : [line]
    })

const isCommandOfRepository = (command: string, scripts: ReadonlySet<string>): boolean => {
  const [program = "", ...args] = command.split(/\s+/)
  if (command === "npx -y pnpm@12 install --frozen-lockfile") return true
  if (program !== "npx") return !program.includes("/") ? false : existsSync(join(root, program))
  const [tool, script = ""] = args.filter((arg) => arg !== "-s")
  return tool === "pnpm" && scripts.has(script)
}
