import { execFile } from "node:child_process"
import { globSync } from "node:fs"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { afterAll, beforeAll, expect, test } from "vitest"
import { parse } from "yaml"
import { type EmptyProject, emptyProject, libraries, root } from "./emptyProject.ts"
import { smallWorker } from "./smallWorker.ts"

// Sizes of the packages: of a download without its changelog, which grows with each version; and in a page, of what is imported of them,
// minified and gzipped. And the text of their types.

const downloads: Readonly<Record<string, string>> = {
  domain: "196 kB",
  contract: "192 kB",
  core: "246 kB",
  fixtures: "215 kB",
  http: "88 kB",
  signing: "80 kB",
  dispatcher: "39 kB",
  storage: "125 kB",
  client: "273 kB",
  capture: "37 kB",
  emulator: "3.7 MB",
  testkit: "60 kB"
}

const bundles = [
  { name: "signing: verify", of: "signing", import: "{ verify }", limit: "6 kB" },
  { name: "signing: sign", of: "signing", import: "{ sign }", limit: "4.2 kB" },
  {
    name: "client, without signing",
    of: "client",
    import: "{ Tapedeck }",
    ignore: ["@tapedeck/signing"],
    // HTTP dates, file names, redirects, locations, and pages that do not advance or lose records take 1.3 kB of it.
    limit: "10.4 kB"
  },
  { name: "capture: everything", of: "capture", import: "*", limit: "30 kB" }
]

/** Types of one file: an editor shows it where a name is followed. */
const maxTypesLines = 1_600

/** Type files that may be longer: the bodies of the settings API, Effect's Schema, which the emulator contains, and a world's snapshot. */
const isLong = (path: string) => /\bgenerated-settings\.types\.gen-|\bSchema-|\bworld-snapshot-/.test(path)

const run = promisify(execFile)

/** Writes the tarball of a package without its changelog to a file. */
const packWithoutChangelog = async (tarball: string, folder: string, name: string) => {
  const unpacked = join(folder, name)
  await mkdir(unpacked)
  await run("tar", ["-xzf", tarball, "-C", unpacked])
  await rm(join(unpacked, "package/CHANGELOG.md"), { force: true })
  const path = join(folder, `${name}.tar`)
  await run("tar", ["-cf", path, "--sort=name", "--mtime=@0", "-C", unpacked, "package"])
  await writeFile(join(folder, `${name}.tgz`), gzipSync(await readFile(path), { level: 9 }))
}

let made: EmptyProject | undefined

beforeAll(async () => {
  const { catalog } = parse(await readFile(join(root, "pnpm-workspace.yaml"), "utf8")) as {
    readonly catalog: { readonly effect: string }
  }
  made = await emptyProject(libraries, { dependencies: { effect: catalog.effect } })
})

afterAll(() => made?.remove())

test("every download and every bundle for a page is within its limit (size-limit)", async () => {
  const ondemand = join(import.meta.dirname, "ondemand")
  installOnDemand(ondemand)
  const folder = join(made!.path, "sizes")
  await mkdir(folder)
  // size-limit loads the plugins that the project depends on.
  const devDependencies = { "@size-limit/esbuild": "*", "@size-limit/file": "*" }
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, devDependencies }))
  for (const name of libraries) await packWithoutChangelog(made!.tarballOf(name), folder, name)
  const checks = [
    ...libraries.map((name) => ({
      name: `${name}: tarball`,
      path: `${name}.tgz`,
      limit: downloads[name],
      brotli: false,
      disablePlugins: ["@size-limit/esbuild"]
    })),
    ...bundles.map(({ of, ...check }) => ({
      ...check,
      path: `../node_modules/@tapedeck/${of}/dist/index.js`,
      gzip: true
    })),
    { name: "http: a Worker", path: "../worker.js", ignore: ["node:crypto", "node:zlib"], limit: "223 kB", gzip: true }
  ]
  await writeFile(join(made!.path, "worker.js"), smallWorker)
  await writeFile(join(folder, ".size-limit.json"), JSON.stringify(checks))
  const command = join(ondemand, "node_modules/size-limit/bin.js")
  const ended = run(process.execPath, [command, "--json"], { cwd: folder })
  const { stdout } = await ended.catch((error: { readonly stdout: string }) => error)
  const measured = JSON.parse(stdout) as ReadonlyArray<{ name: string; passed: boolean; size: number }>
  expect(measured.map(({ name }) => name)).toEqual(checks.map(({ name }) => name))
  expect(measured.filter(({ passed }) => !passed)).toEqual([])
})

test.each(libraries)("each file of the types of %s has at most 1,600 lines", async (name) => {
  const folder = join(made!.path, "node_modules/@tapedeck", name, "dist")
  const paths = globSync("**/*.d.{ts,cts}", { cwd: folder }).filter((path) => !isLong(path))
  expect(paths).not.toEqual([])
  const lines = await Promise.all(
    paths.map(async (path) => [path, (await readFile(join(folder, path), "utf8")).split("\n").length] as const)
  )
  expect(lines.filter(([, count]) => count > maxTypesLines)).toEqual([])
})

/** The packages whose types are an API (docs/adr/0039-published-packages.md). `pnpm check` reads the comments of their sources. */
const documented = ["signing", "client", "capture", "emulator", "contract", "domain", "dispatcher", "testkit"]

test.each(documented)(
  "the types of %s declare nothing global, and cite no code of the specification and no decision record",
  async (name) => {
    const folder = join(made!.path, "node_modules/@tapedeck", name, "dist")
    const paths = globSync("**/*.d.ts", { cwd: folder })
    expect(paths).not.toEqual([])
    const texts = await Promise.all(paths.map((path) => readFile(join(folder, path), "utf8")))
    expect(texts.filter((text) => /\bdeclare global\b/.test(text))).toEqual([])
    const comments = texts.flatMap((text) => text.match(/\/\*\*[\s\S]*?\*\//g) ?? [])
    expect(comments).not.toEqual([])
    expect(comments.filter((comment) => /\b[ACNRSW]\d{1,2}\b|\bADRs?\b/.test(comment))).toEqual([])
  }
)
