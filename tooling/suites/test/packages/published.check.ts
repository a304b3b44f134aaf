import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, globSync } from "node:fs"
import { open, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { afterAll, beforeAll, expect, test } from "vitest"
import { parse } from "yaml"
import { type EmptyProject, emptyProject, libraries, root } from "./emptyProject.ts"

// Every package as a tarball: linted, and in an empty project of each TypeScript.

const ondemand = join(root, "packages/client/ondemand")

/** Effect's own types need 5.7. */
const versions = ["5.7", "5.8", "5.9", "6.0", "7.0"]

interface Manifest {
  readonly main?: string
  readonly files: ReadonlyArray<string>
  readonly exports: Readonly<Record<string, unknown>>
}

const manifestOf = async (name: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(project, "node_modules/@tapedeck", name, "package.json"), "utf8"))

/** What can be imported of a package, by name: not its data files. */
const entriesOf = async (name: string): Promise<ReadonlyArray<string>> => {
  const { exports } = await manifestOf(name)
  return Object.entries(exports)
    .filter(([, target]) => typeof target === "object")
    .map(([path]) => `@tapedeck/${name}${path.slice(1)}`)
}

let made: EmptyProject | undefined
let project: string

beforeAll(async () => {
  installOnDemand(ondemand)
  const compilers = Object.fromEntries(
    versions.map((version) => [`typescript-${version}`, `npm:typescript@~${version}.0`])
  )
  const { catalog } = parse(await readFile(join(root, "pnpm-workspace.yaml"), "utf8")) as {
    readonly catalog: Readonly<Record<string, string>>
  }
  const besides = ["effect", "vitest", "@types/node"].map((name) => [name, catalog[name]!] as const)
  made = await emptyProject(libraries, { dependencies: Object.fromEntries(besides), devDependencies: compilers })
  project = made.path
  const entries = (await Promise.all(libraries.map(entriesOf))).flat()
  expect(entries).toContain("@tapedeck/storage/postgres")
  const lines = entries.map(
    (entry, index) => `import * as m${index} from "${entry}"\nexport const all${index} = m${index}`
  )
  await writeFile(join(project, "all.ts"), lines.join("\n"))
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    target: "ES2024",
    lib: ["ES2024", "DOM", "DOM.Iterable", "ESNext.Disposable"],
    types: ["node"],
    module: "ESNext",
    moduleResolution: "bundler"
  }
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["all.ts"] }))
})

afterAll(() => made?.remove())

test.each(libraries)("publint reports nothing about the tarball of %s", async (name) => {
  const { buffer } = await readFile(made!.tarballOf(name))
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: buffer as ArrayBuffer } })
  expect(messages.map((message) => formatMessage(message, pkg as Record<string, unknown>))).toEqual([])
})

test.each(libraries)(
  "the tarball of %s exports its package.json, has its changelog if there is one, and no source maps",
  async (name) => {
    const folder = join(project, "node_modules/@tapedeck", name)
    const { exports, files } = await manifestOf(name)
    expect(exports["./package.json"]).toBe("./package.json")
    expect(files).toContain("CHANGELOG.md")
    const maps = globSync("**/*.map", { cwd: join(folder, "dist") })
    // Its command is minified, and has maps, so that stack traces name the sources.
    expect(name === "emulator" ? [] : maps).toEqual([])
  }
)

test.each(libraries)("the README of %s links to no file that its tarball lacks", async (name) => {
  const folder = join(project, "node_modules/@tapedeck", name)
  const readme = await readFile(join(folder, "README.md"), "utf8")
  const files = [...readme.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, path]) => path!)
  expect(files.filter((path) => path.startsWith("..") || !existsSync(join(folder, path)))).toEqual([])
})

interface Problem {
  readonly kind: string
  readonly entrypoint: string
  readonly resolutionKind: string
}

test.each(libraries)(
  "arethetypeswrong resolves the types of %s in each way that its package.json promises",
  async (name) => {
    const attw = join(ondemand, "node_modules/@arethetypeswrong/cli/dist/index.js")
    // Written to a file, because it exits before a pipe has taken all. It exits with 1 if there is a problem, promised or not.
    const output = await open(join(project, "attw.json"), "w")
    const args = [attw, made!.tarballOf(name), "--format", "json"]
    await once(spawn(process.execPath, args, { stdio: ["ignore", output.fd, "inherit"] }), "exit")
    const { analysis } = JSON.parse(await readFile(join(project, "attw.json"), "utf8"))
    await output.close()
    const { exports, main } = await manifestOf(name)
    expect(Object.keys(analysis.entrypoints).sort()).toEqual(Object.keys(exports).sort())
    const isModulesAlone = (entrypoint: string) => !JSON.stringify(exports[entrypoint]).includes(`"require"`)
    const problems = (analysis.problems as ReadonlyArray<Problem>).filter(
      ({ entrypoint, kind, resolutionKind }) =>
        !(kind === "CJSResolvesToESM" && isModulesAlone(entrypoint)) &&
        // A package with `main` supports what knows no `exports`.
        !(resolutionKind === "node10" && main === undefined)
    )
    expect(problems).toEqual([])
  }
)

test.each([
  ["signing", "verify({})"],
  ["client", "new Tapedeck({})"],
  ["emulator", "startEmulator({ fixtures: { bogus: 1 } })"]
])("an uncaught error of %s shows a short line of its source, because the code is not minified", async (name, call) => {
  const [, used = ""] = /(\w+)\(/.exec(call) ?? []
  const program = `import { ${used} } from "@tapedeck/${name}"\nawait ${call}`
  const ended = promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { cwd: project })
  const { stderr } = await ended.catch((error: { readonly stderr: string }) => error)
  expect(stderr).toMatch(/^file:\S+\/dist\/\S+:\d+\n.{1,120}\n\s+\^/)
})

test.each(versions)(
  "every package's types compile with TypeScript %s, moduleResolution bundler and skipLibCheck false",
  async (version) => {
    const compiler = join(project, `node_modules/typescript-${version}/bin/tsc`)
    const ended = promisify(execFile)(process.execPath, [compiler, "-p", project, "--pretty", "false"])
    const { stdout } = await ended.catch((error: { readonly stdout: string }) => error)
    expect(stdout.split("\n").filter((line) => line !== "")).toEqual([])
  },
  300_000
)

test("the emulator ships the licences of the packages that it bundles", async () => {
  const dist = join(project, "node_modules/@tapedeck/emulator/dist")
  const text = await readFile(join(dist, "THIRD_PARTY_LICENSES"), "utf8")
  for (const name of ["effect", "@effect/platform-node", "undici", "yaml"])
    expect(text).toMatch(new RegExp(`^${name} \\d`, "m"))
  expect(text).toContain("Permission is hereby granted")
  expect(await readFile(join(dist, "console/licenses.md"), "utf8")).toContain("react")
})
