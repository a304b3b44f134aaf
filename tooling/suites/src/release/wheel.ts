import { createHash } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { parse } from "smol-toml"
import type { Archives } from "./archive.ts"
import { type ZipFile, zip } from "./zip.ts"

/** Python's names of the pre-releases that a version of npm can have. */
const preReleases: Readonly<Record<string, string>> = { alpha: "a", beta: "b", rc: "rc" }

/** The packages' version as Python writes it (PEP 440): 1.2.3-beta.0 is 1.2.3b0. Throws for a pre-release that Python has no name for. */
export const pythonVersion = (version: string): string => {
  const [, release, name, number] = /^(\d+\.\d+\.\d+)(?:-([a-z]+)\.(\d+))?$/.exec(version) ?? []
  if (release !== undefined && name === undefined) return release
  const letters = preReleases[name ?? ""]
  if (letters === undefined)
    throw new Error(
      `Python has no version ${version}: a pre-release is ${Object.keys(preReleases).join(", ")} and a number`
    )
  return `${release}${letters}${number}`
}

/** A value that becomes one line of a wheel's metadata. */
const Line = Schema.String.check(Schema.isPattern(/^[^\r\n]+$/))
const matching = (pattern: RegExp) => Schema.String.check(Schema.isPattern(pattern))

/** The keys of `pyproject.toml` that a wheel can be written of. The others, which tools have, are not in a wheel. */
const PyProject = Schema.Struct({
  "build-system": Schema.Unknown,
  project: Schema.Struct({
    name: matching(/^[a-z0-9]+(-[a-z0-9]+)*$/),
    version: matching(/^\d+\.\d+\.\d+((a|b|rc)\d+)?$/),
    description: Line,
    readme: matching(/\.md$/),
    license: Line,
    "license-files": Schema.Array(Line),
    "requires-python": Line,
    dependencies: Schema.Array(Line),
    classifiers: Schema.Array(Line),
    "entry-points": Schema.Record(Schema.String, Schema.Record(Schema.String, matching(/^\w+(\.\w+)*$/)))
  }),
  tool: Schema.Struct({
    setuptools: Schema.Struct({ "package-data": Schema.Record(Schema.String, Schema.Array(Schema.String)) }),
    pytest: Schema.Unknown
  })
})

const readPyProject = (folder: string) => {
  const text = readFileSync(join(folder, "pyproject.toml"), "utf8")
  try {
    return Schema.decodeUnknownSync(PyProject)(parse(text), { onExcessProperty: "error" })
  } catch (cause) {
    throw new Error(`No wheel can be written of pyproject.toml: ${(cause as Error).message}`)
  }
}

/** The files below `src/`, which are of Python, or data that `pyproject.toml` names. */
const readSources = (folder: string, data: Readonly<Record<string, ReadonlyArray<string>>>): ReadonlyArray<ZipFile> => {
  const named = Object.entries(data).flatMap(([name, files]) =>
    files.map((file) => `${name.replaceAll(".", "/")}/${file}`)
  )
  const paths = readdirSync(join(folder, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, "src/").length))
    .toSorted()
  const missing = named.filter((path) => !paths.includes(path))
  if (missing.length > 0) throw new Error(`pyproject.toml names data that src/ lacks: ${missing.join(", ")}`)
  const unnamed = paths.filter((path) => !/^[\w/]+\.py$/.test(path) && !named.includes(path))
  if (unnamed.length > 0)
    throw new Error(`src/ has files that pyproject.toml does not name in package-data: ${unnamed.join(", ")}`)
  return paths.map((path) => ({ path, bytes: readFileSync(join(folder, "src", path)) }))
}

const sumOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("base64url")

/**
 * Writes the wheel of a package of Python alone, as setuptools would, from the package's `pyproject.toml` and `src/`. Requires neither
 * Python nor its package index.
 */
export const writeWheel = (folder: string, { out, time }: Archives): void => {
  const { project, tool } = readPyProject(folder)
  const sources = readSources(folder, tool.setuptools["package-data"])
  const entryPoints = Object.entries(project["entry-points"])
  for (const module of entryPoints.flatMap(([, points]) => Object.values(points)))
    if (!sources.some(({ path }) => path === `${module.replaceAll(".", "/")}.py`))
      throw new Error(`pyproject.toml has an entry point that src/ lacks: ${module}`)

  const name = `${project.name.replaceAll("-", "_")}-${project.version}`
  const metadata = [
    "Metadata-Version: 2.4",
    `Name: ${project.name}`,
    `Version: ${project.version}`,
    `Summary: ${project.description}`,
    `License-Expression: ${project.license}`,
    ...project.classifiers.map((classifier) => `Classifier: ${classifier}`),
    `Requires-Python: ${project["requires-python"]}`,
    "Description-Content-Type: text/markdown",
    ...project["license-files"].map((file) => `License-File: ${file}`),
    ...project.dependencies.map((dependency) => `Requires-Dist: ${dependency}`),
    "",
    readFileSync(join(folder, project.readme), "utf8")
  ]
  const wheel = ["Wheel-Version: 1.0", "Generator: tapedeck", "Root-Is-Purelib: true", "Tag: py3-none-any", ""]
  const points = entryPoints.map(
    ([group, values]) =>
      `[${group}]\n${Object.entries(values)
        .map(([key, module]) => `${key} = ${module}\n`)
        .join("")}`
  )
  const info = (path: string, bytes: string | Buffer): ZipFile => ({
    path: `${name}.dist-info/${path}`,
    bytes: Buffer.from(bytes)
  })
  const files = [
    ...sources,
    ...project["license-files"].map((file) => info(`licenses/${file}`, readFileSync(join(folder, file)))),
    info("METADATA", metadata.join("\n")),
    info("WHEEL", wheel.join("\n")),
    info("entry_points.txt", points.join("\n"))
  ]
  const lines = files.map(({ bytes, path }) => `${path},sha256=${sumOf(bytes)},${bytes.length}\n`)
  const record = info("RECORD", `${lines.join("")}${name}.dist-info/RECORD,,\n`)
  writeFileSync(join(out, `${name}-py3-none-any.whl`), zip([...files, record], time))
}
