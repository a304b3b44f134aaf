import { readdirSync, readFileSync } from "node:fs"
import { join, matchesGlob, relative } from "node:path"

/** Absolute path of the repository. */
export const root = join(import.meta.dirname, "../../..")

/** What the checks read of a package.json. */
export interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** A package of the workspace; `directory` is its path from the root, like `packages/domain`. */
export interface WorkspacePackage {
  readonly directory: string
  readonly manifest: Manifest
}

export const readManifest = (directory: string): Manifest =>
  JSON.parse(readFileSync(join(root, directory, "package.json"), "utf8")) as Manifest

/** The workspace's packages among `files` (paths from the root), in the order of their directories. */
export const packagesAmong = (files: ReadonlyArray<string>): ReadonlyArray<WorkspacePackage> =>
  files
    .filter((file) => /^(packages|apps|tooling)\/[^/]+\/package\.json$/.test(file))
    .map((file) => file.slice(0, -"/package.json".length))
    .map((directory) => ({ directory, manifest: readManifest(directory) }))

/**
 * Every file that git would track, as sorted paths from the root. Reads .gitignore itself: the tests also run where the
 * sources were copied without git. Understands the patterns that .gitignore has here, names and `*.ext`, no others.
 */
export const projectFiles = (): ReadonlyArray<string> => {
  const ignored = [".git", ...ignorePatterns(readFileSync(join(root, ".gitignore"), "utf8"))]
  const visit = (directory: string): ReadonlyArray<string> =>
    readdirSync(directory, { withFileTypes: true })
      .filter((entry) => !ignored.some((pattern) => matchesGlob(entry.name, pattern)))
      .flatMap((entry) => {
        const path = join(directory, entry.name)
        if (entry.isDirectory()) return visit(path)
        return entry.isFile() ? [relative(root, path)] : []
      })
  return [...visit(root)].sort()
}

const ignorePatterns = (gitignore: string): ReadonlyArray<string> =>
  gitignore
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const name = line.replace(/\/$/, "")
      if (/[/!]/.test(name)) throw new Error(`.gitignore: projectFiles() does not understand the pattern ${line}`)
      return name
    })
