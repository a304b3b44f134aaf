import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { compile } from "./compiler.ts"
import { projectFiles, readManifest, root } from "./project.ts"

/** A project's settings, as every package here has them. */
interface Project {
  readonly extends: string
  readonly include: ReadonlyArray<string>
  readonly compilerOptions?: { readonly lib?: ReadonlyArray<string> }
}

/** Packages that are checked as one program, because they have the same compiler options. */
export interface TypeProgram {
  readonly directories: ReadonlyArray<string>
  readonly project: Project
}

const base = "@tapedeck/tsconfig/base.json"
const dom = ["ES2024", "DOM", "DOM.Iterable", "DOM.AsyncIterable"]

/** A file that names a library gives its types to the whole program: packages without it must not see them. */
const namesDom = /^\/\/\/ <reference lib="dom" \/>/m

const optionsOf = (directory: string, project: Project, files: ReadonlyArray<string>): Project["compilerOptions"] => {
  const isDom = files.some((file) => /\.[cm]?tsx?$/.test(file) && namesDom.test(readFileSync(join(root, file), "utf8")))
  if (!isDom) return project.compilerOptions ?? {}
  if (project.compilerOptions !== undefined) {
    throw new Error(`${directory}: a package with compiler options of its own cannot name the library "dom" in a file`)
  }
  return { lib: dom }
}

/**
 * The programs that check every package that has a script `typecheck`, the largest first. A program reads Effect's declarations and
 * the sources that its packages share once.
 */
export const typePrograms = (files = projectFiles()): ReadonlyArray<TypeProgram> => {
  const programs = new Map<string, { directories: Array<string>; project: Project }>()
  const directories = files
    .filter((file) => /^[^/]+\/[^/]+\/package\.json$/.test(file))
    .map((file) => file.slice(0, -"/package.json".length))
    .filter((directory) => readManifest(directory).scripts?.typecheck !== undefined)
  for (const directory of directories) {
    const path = `${directory}/tsconfig.json`
    const project = JSON.parse(readFileSync(join(root, path), "utf8")) as Project
    const owned = files.filter((file) => file.startsWith(`${directory}/`))
    if (project.extends !== base && project.extends !== "./base.json")
      throw new Error(`${path} does not extend ${base}`)
    const compilerOptions = optionsOf(directory, project, owned)
    const key = JSON.stringify(compilerOptions)
    const program = programs.get(key) ?? {
      directories: [],
      project: {
        extends: join(root, "tooling/tsconfig/base.json"),
        compilerOptions: compilerOptions ?? {},
        include: []
      }
    }
    program.directories.push(directory)
    const include = [...program.project.include, ...project.include.map((name) => join(root, directory, name))]
    programs.set(key, { ...program, project: { ...program.project, include } })
  }
  return [...programs.values()].sort((a, b) => b.directories.length - a.directories.length)
}

const cache = join(root, "node_modules/.cache/tapedeck")

/** The compiler's records hold what they were made of, but not the settings of Effect's lints nor the version of the compiler. */
const hashSettings = (): string => {
  const hash = createHash("sha256")
  for (const file of ["tooling/tsconfig/base.json", "pnpm-workspace.yaml"]) hash.update(readFileSync(join(root, file)))
  return hash.digest("hex").slice(0, 16)
}

/** Checks one program; a package alone in its program is checked by its own settings. Undefined if nothing was found. */
const checkProgram = async ({ directories, project }: TypeProgram, settings: string): Promise<string | undefined> => {
  const [first] = directories
  const name = `types-${first?.replaceAll("/", "-")}`
  mkdirSync(cache, { recursive: true })
  if (directories.length > 1) writeFileSync(join(cache, `${name}.json`), JSON.stringify(project))
  const [directory, file] = directories.length > 1 ? [cache, `${name}.json`] : [join(root, first!), "."]
  const record = join(cache, `${name}-${settings}.tsbuildinfo`)
  const { output, status } = await compile(directory, file, ["--incremental", "--tsBuildInfoFile", record])
  if (status === 0) return undefined
  return output === "" ? `${directories.join(", ")}: the compiler ended with ${status}` : output
}

/**
 * Checks the types of all packages, two programs at a time, and of each program the files that a change since the last run may concern.
 * Returns the findings, each once, though programs share sources.
 */
export const checkTypes = async (): Promise<ReadonlyArray<string>> => {
  const files = projectFiles()
  const settings = hashSettings()
  const waiting = [...typePrograms(files)]
  const found: Array<string> = []
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const output = await checkProgram(next, settings)
      if (output !== undefined) found.push(...output.trim().split("\n"))
    }
  }
  await Promise.all([work(), work()])
  return [...new Set(found)]
}
