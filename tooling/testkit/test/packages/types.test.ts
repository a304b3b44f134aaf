import { execFile } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { parse } from "yaml"
import { type EmptyProject, emptyProject, root } from "./emptyProject.ts"

// Every package as a tarball, in an empty project of each TypeScript.

const packages = [
  "domain",
  "contract",
  "core",
  "fixtures",
  "http",
  "signing",
  "dispatcher",
  "storage",
  "client",
  "emulator"
]

/** Effect's own types need 5.7. */
const versions = ["5.7", "5.8", "5.9", "6.0", "7.0"]

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>
}

/** What can be imported of a package, by name: not its data files. */
const entriesOf = async (name: string): Promise<ReadonlyArray<string>> => {
  const manifest = JSON.parse(
    await readFile(join(project, "node_modules/@tapedeck", name, "package.json"), "utf8")
  ) as Manifest
  return Object.entries(manifest.exports)
    .filter(([, target]) => typeof target === "object")
    .map(([path]) => `@tapedeck/${name}${path.slice(1)}`)
}

let made: EmptyProject | undefined
let project: string

beforeAll(async () => {
  const compilers = Object.fromEntries(
    versions.map((version) => [`typescript-${version}`, `npm:typescript@~${version}.0`])
  )
  const { catalog } = parse(await readFile(join(root, "pnpm-workspace.yaml"), "utf8")) as {
    readonly catalog: Readonly<Record<string, string>>
  }
  const besides = ["effect", "vitest", "@types/node"].map((name) => [name, catalog[name]!] as const)
  made = await emptyProject(packages, { dependencies: Object.fromEntries(besides), devDependencies: compilers })
  project = made.path
  const entries = (await Promise.all(packages.map(entriesOf))).flat()
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
}, 240_000)

afterAll(() => made?.remove())

test.each(versions)(
  "every package's types hold under TypeScript %s, moduleResolution bundler and skipLibCheck false",
  async (version) => {
    const compiler = join(project, `node_modules/typescript-${version}/bin/tsc`)
    const ended = promisify(execFile)(process.execPath, [compiler, "-p", project, "--pretty", "false"])
    const { stdout } = await ended.catch((error: { readonly stdout: string }) => error)
    expect(stdout.split("\n").filter((line) => line !== "")).toEqual([])
  },
  120_000
)
