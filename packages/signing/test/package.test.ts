import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { oneChecker } from "@tapedeck/tsconfig/compiler.ts"
import { afterAll, beforeAll, expect, test } from "vitest"
import { packageDirectory, run, workspaceBin } from "./support/run.ts"

const subpaths = ["fetch", "node", "express", "fastify", "koa", "next-pages", "lambda"]

let directory: string
let tarball: string
let project: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tapedeck-signing-"))
  // As Python leaves it beside an example that was imported.
  const cache = join(packageDirectory, "examples/__pycache__")
  await mkdir(cache, { recursive: true })
  await writeFile(join(cache, "verify.pyc"), "")
  await run(workspaceBin("pnpm"), ["pack", "--pack-destination", directory])
  await rm(cache, { recursive: true })
  tarball = join(directory, (await readdir(directory)).find((name) => name.endsWith(".tgz")) ?? "")
  project = join(directory, "project")
  await mkdir(project)
  await writeFile(join(project, "package.json"), `{ "name": "project", "private": true }`)
  await run(workspaceBin("pnpm"), ["add", "--offline", "--ignore-workspace", tarball], { cwd: project })
})

afterAll(() => rm(directory, { recursive: true, force: true }))

const installed = async (path: string) => readFile(join(project, "node_modules/@tapedeck/signing", path), "utf8")

test("the package has no dependencies, and contains the documented files", async () => {
  const manifest = JSON.parse(await installed("package.json"))
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies"]) {
    expect(Object.keys(manifest[kind] ?? {})).toEqual([])
  }
  expect(JSON.stringify(manifest.exports) + JSON.stringify(manifest.imports)).not.toContain("source")
  const files = await readdir(join(project, "node_modules/@tapedeck/signing"))
  // A tree without a release has no changelogs.
  expect(files.filter((name) => name !== "CHANGELOG.md").sort()).toEqual([
    "LICENSE",
    "README.md",
    "dist",
    "examples",
    "package.json",
    "skills",
    "vectors"
  ])
  expect(await readdir(join(project, "node_modules"))).not.toContain("effect")
})

/** The same work from ESM and from CommonJS: prints what it found. */
const work = `
const body = new TextEncoder().encode('{"a":"ü"}')
const main = async () => {
  const secret = ["older", "whsec_c2VjcmV0"]
  const now = 1767225600000
  const headers = signing.signSync({ scheme: "standard", id: "msg_1", timestamp: 1767225600, body, secret: secret[1] })
  const verified = [await signing.verify({ body, headers, secret, now }), signing.verifySync({ body, headers, secret, now })]
  const refused = await signing.verifyResult({ body: "", headers, secret, now })
  const hooks = adapters.map(({ webhook }) => typeof webhook({ secret, path: "/hook" }, () => undefined))
  console.log(JSON.stringify({ verified, refused: refused.error.code, hooks, cases: vectors.cases.length > 20 }))
}
main()
`

const expected = {
  verified: Array(2).fill({ scheme: "standard", secretIndex: 1, id: "msg_1", timestamp: 1_767_225_600 }),
  refused: "signature_mismatch",
  hooks: subpaths.map(() => "function"),
  cases: true
}

test("the package can be imported from ESM", async () => {
  const adapters = subpaths.map((name, index) => `import * as adapter${index} from "@tapedeck/signing/${name}"`)
  const imports = `import * as signing from "@tapedeck/signing"
import vectors from "@tapedeck/signing/vectors/folder.json" with { type: "json" }
${adapters.join("\n")}
const adapters = [${subpaths.map((_, index) => `adapter${index}`).join(", ")}]`
  await writeFile(join(project, "use.mjs"), imports + work)
  expect(JSON.parse(await run(process.execPath, ["use.mjs"], { cwd: project }))).toEqual(expected)
})

test("the package can be required from CommonJS", async () => {
  const requires = `const signing = require("@tapedeck/signing")
const vectors = require("@tapedeck/signing/vectors/folder.json")
const adapters = ${JSON.stringify(subpaths)}.map((name) => require("@tapedeck/signing/" + name))`
  await writeFile(join(project, "use.cjs"), requires + work)
  expect(JSON.parse(await run(process.execPath, ["use.cjs"], { cwd: project }))).toEqual(expected)
})

test("the types need neither Node's nor the browser's types, except for the fetch adapter", async () => {
  const using = (from: string) => `import { verify, type SigningFailure, isSigningError } from "@tapedeck/signing"
${from}
export const cure = (error: unknown): string | undefined => {
  if (!isSigningError(error)) return undefined
  const failure: SigningFailure = error
  return failure.code === "timestamp_too_old" ? String(failure.data.bySeconds) : failure.message
}
export const index = verify({ body: "", headers: {}, secret: "s" }).then(({ secretIndex }) => secretIndex)
`
  const plain = subpaths.filter((name) => name !== "fetch")
  const all = (names: ReadonlyArray<string>) =>
    names
      .map((name, index) => `import { webhook as hook${index} } from "@tapedeck/signing/${name}"\nvoid hook${index}`)
      .join("\n")
  const settings = (lib: ReadonlyArray<string>, file: string) => ({
    compilerOptions: {
      strict: true,
      noEmit: true,
      target: "ES2022",
      lib,
      types: [],
      module: "NodeNext",
      moduleResolution: "NodeNext",
      skipLibCheck: false,
      // TypeScript's own declarations are not what is tested.
      skipDefaultLibCheck: true,
      exactOptionalPropertyTypes: true
    },
    files: [file]
  })
  const cases = [
    ["plain.mts", ["ES2022"], plain],
    ["plain.cts", ["ES2022"], plain],
    ["fetch.mts", ["ES2022", "DOM"], subpaths]
  ] as const
  for (const [file, lib, names] of cases) {
    await writeFile(join(project, file), using(all(names)))
    await writeFile(join(project, "tsconfig.json"), JSON.stringify(settings(lib, file)))
    expect(await run(workspaceBin("tsc"), ["-p", "tsconfig.json", ...oneChecker], { cwd: project })).toBe("")
  }
})

test("the package contains the example of each language", async () => {
  const examples = await readdir(join(packageDirectory, "examples"))
  expect(await readdir(join(project, "node_modules/@tapedeck/signing/examples"))).toEqual(examples)
})
