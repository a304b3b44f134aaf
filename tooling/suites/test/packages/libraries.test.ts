import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { cp, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { readFences } from "@tapedeck/tsconfig/fences.ts"
import { afterAll, beforeAll, expect, test } from "vitest"
import { parse } from "yaml"
import { compileExamples } from "./compiledExamples.ts"
import { type EmptyProject, emptyProject, libraries as published, root } from "./emptyProject.ts"

// The libraries as tarballs, in an empty project with an Effect of its own.

const libraries = ["domain", "contract", "core", "fixtures", "http", "signing", "dispatcher", "storage"]

/** An Effect 4.1 that is not the one that the libraries are developed with. */
const packEffect = async (tarball: string) => {
  const source = await realpath(join(root, "packages/core/node_modules/effect"))
  const place = join(folder, "package")
  const isNeeded = (file: string) => file !== join(source, "src") && !file.endsWith(".map")
  await cp(source, place, { recursive: true, filter: isNeeded })
  const manifest = JSON.parse(await readFile(join(source, "package.json"), "utf8"))
  await writeFile(join(place, "package.json"), JSON.stringify({ ...manifest, version: "4.1.99" }))
  await promisify(execFile)("tar", ["-czf", tarball, "-C", folder, "package"])
}

let folder: string
let made: EmptyProject | undefined
let project: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tapedeck-effect-"))
  const effect = join(folder, "effect.tgz")
  await packEffect(effect)
  const { catalog } = parse(await readFile(join(root, "pnpm-workspace.yaml"), "utf8"))
  made = await emptyProject(published, {
    dependencies: { effect: `file:${effect}`, vitest: catalog.vitest },
    settings: { strictPeerDependencies: true }
  })
  project = made.path
})

afterAll(async () => {
  await made?.remove()
  await rm(folder, { recursive: true, force: true })
})

const run = async (code: string): Promise<unknown> => {
  await writeFile(join(project, "main.js"), code)
  const { stdout } = await promisify(execFile)(process.execPath, ["main.js"], { cwd: project })
  return JSON.parse(stdout)
}

test("the libraries use the project's own Effect, of which one copy is installed", async () => {
  const own = await realpath(join(project, "node_modules/effect"))
  expect(JSON.parse(await readFile(join(own, "package.json"), "utf8")).version).toBe("4.1.99")
  for (const name of libraries.filter((name) => name !== "signing")) {
    const library = await realpath(join(project, "node_modules/@tapedeck", name))
    expect([name, await realpath(join(library, "../../effect"))]).toEqual([name, own])
  }
  const store = await readdir(join(project, "node_modules/.pnpm"))
  expect(store.filter((name) => /^effect@/.test(name))).toHaveLength(1)
})

test("every library loads from its tarball", async () => {
  const modules = [
    "storage/files",
    "storage/move",
    "storage/postgres",
    "storage/sqlite",
    "dispatcher/network",
    "dispatcher/sql",
    "contract/capture",
    "contract/settings",
    "contract/v1",
    "contract/v2",
    "core/input",
    "domain/delivery",
    "domain/template",
    "domain/transcript",
    "fixtures/demo",
    "http/node"
  ]
  const names = [...libraries.filter((name) => name !== "storage"), ...modules].map((name) => `@tapedeck/${name}`)
  const loaded = await run(`
    const loaded = []
    for (const name of ${JSON.stringify(names)}) loaded.push(Object.keys(await import(name)).length > 0)
    console.log(JSON.stringify(loaded))`)
  expect(loaded).toEqual(names.map(() => true))
})

test("the libraries import Effect's modules one by one, so that a bundle has only what it uses", async () => {
  for (const name of libraries) {
    const folder = join(project, "node_modules/@tapedeck", name, "dist")
    const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".js"))
    const importing = files.filter((file) =>
      /from "effect(\/http|\/http-api)?"/.test(readFileSync(join(folder, file), "utf8"))
    )
    expect([name, files.length > 0, importing]).toEqual([name, true, []])
  }
})

test("the OpenAPI documents in @tapedeck/contract are those that its functions make", async () => {
  const same = await run(`
    import { openApiCapture, openApiSettings, openApiV1, openApiV2 } from "@tapedeck/contract"
    import { isDeepStrictEqual } from "node:util"
    const makers = { capture: openApiCapture, settings: openApiSettings, v1: openApiV1, v2: openApiV2 }
    const same = []
    for (const [api, make] of Object.entries(makers)) {
      const file = await import("@tapedeck/contract/openapi/" + api + ".json", { with: { type: "json" } })
      same.push([api, isDeepStrictEqual(file.default, JSON.parse(JSON.stringify(make({ vendor: "Tapedeck" }))))])
    }
    console.log(JSON.stringify(same))`)
  expect(same).toEqual([
    ["capture", true],
    ["settings", true],
    ["v1", true],
    ["v2", true]
  ])
})

test("files in S3 without @aws-sdk/client-s3 fail with an error that names the package to install", async () => {
  expect(await readdir(join(project, "node_modules/.pnpm"))).not.toContainEqual(expect.stringMatching(/^@aws-sdk/))
  const failures = await run(`
    import { Effect, Layer } from "effect"
    import { FileBytes, S3SdkMissing, loadInventory } from "@tapedeck/storage/files"
    const layer = FileBytes.layerS3({ bucket: "b", prefix: "", region: "eu-west-1", temporary: "." })
    const failures = [
      await Effect.runPromise(Effect.scoped(Layer.build(layer))).catch((error) => error),
      await loadInventory().catch((error) => error)
    ]
    console.log(JSON.stringify(failures.map((error) => [error instanceof S3SdkMissing, error.name, error.message])))`)
  const message =
    "Files in S3 need the package @aws-sdk/client-s3, which is not installed: npm install @aws-sdk/client-s3"
  expect(failures).toEqual(Array(2).fill([true, "S3SdkMissing", message]))
})

const nextExample = "--- the next example"
const examples = readFences("packages/{domain,contract,core,fixtures,http,dispatcher,storage}/README.md", "ts", " // ")

test("the examples in the READMEs of the libraries print what their comments say", async () => {
  const saying = examples.map(({ code, page }) => ({
    code,
    page,
    said: [...code.matchAll(/console\.log\(.* \/\/ (.*)$/gm)].map(([, line]) => line)
  }))
  const printing = saying.filter(({ said }) => said.length > 0)
  expect(new Set(printing.map(({ page }) => page)).size).toBe(7)
  // One after another in one process, which loads what they share once.
  const imports = printing.map((_, index) => `console.log("${nextExample}")\nawait import("./example${index}.ts")\n`)
  for (const [index, { code }] of printing.entries()) await writeFile(join(project, `example${index}.ts`), code)
  await writeFile(join(project, "examples.js"), imports.join(""))
  const { stdout } = await promisify(execFile)(process.execPath, ["examples.js"], { cwd: project })
  const [before, ...printed] = stdout.split(`${nextExample}\n`)
  expect(before).toBe("")
  expect(printed.map((text) => text.trimEnd().split("\n"))).toEqual(printing.map(({ said }) => said))
})

test("every TypeScript example of the documents compiles with strict settings, as a user of the packages sees it", async () => {
  expect(await compileExamples(project)).toBe("")
})
