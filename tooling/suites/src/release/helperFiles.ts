import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Archives, writeArchive } from "./archive.ts"
import { pythonVersion, writeWheel } from "./wheel.ts"

const root = join(import.meta.dirname, "../../../..")

interface Helper {
  readonly name: string
  /** The file that has its version. A Go module has none. */
  readonly manifest?: string
  /** The packages' version as the language writes it. */
  readonly versionOf?: (version: string) => string
}

export type HelperLanguage = "python" | "go" | "java"

/** The helpers in `clients/`. */
const helpers: Readonly<Record<HelperLanguage, Helper>> = {
  python: { name: "pytest-tapedeck", manifest: "pyproject.toml", versionOf: pythonVersion },
  go: { name: "tapedecktest" },
  java: { name: "tapedeck-junit", manifest: "pom.xml" }
}

/** Version in the manifests of `clients/`, in whose place a release writes the packages'. */
const unreleased = "0.0.0"

/** Copies a helper as a release has it: the files that git knows, with a version. Returns the folder, which has the helper's name. */
export const copyHelper = (language: HelperLanguage, version: string, into: string): string => {
  const { manifest, name, versionOf } = helpers[language]
  const from = join(root, "clients", language)
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: from,
    encoding: "utf8"
  })
  for (const file of files.trim().split("\n")) cpSync(join(from, file), join(into, name, file))
  if (manifest !== undefined) {
    const path = join(into, name, manifest)
    const [before, after, ...more] = readFileSync(path, "utf8").split(unreleased)
    if (after === undefined || more.length > 0) throw new Error(`${manifest} must have the version ${unreleased} once`)
    writeFileSync(path, `${before}${versionOf?.(version) ?? version}${after}`)
  }
  return join(into, name)
}

/** Writes a helper: Python's as a wheel, the others as archives of their sources. */
export const packHelper = (language: HelperLanguage, version: string, archives: Archives): void => {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-helper-"))
  try {
    const helper = copyHelper(language, version, folder)
    const { name } = helpers[language]
    if (language === "python") writeWheel(helper, archives)
    else writeArchive(`${name}.tar.gz`, { folder, names: [name] }, archives)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes all helpers. */
export const packHelpers = (version: string, archives: Archives): void => {
  for (const language of Object.keys(helpers) as ReadonlyArray<HelperLanguage>) packHelper(language, version, archives)
}
