import { execFile } from "node:child_process"
import { cp, readFile, writeFile } from "node:fs/promises"
import { delimiter, dirname, join } from "node:path"
import { promisify } from "node:util"
import { parseFences, readFence } from "@tapedeck/tsconfig/fences.ts"
import { afterAll, beforeAll, expect, test } from "vitest"
import { parse } from "yaml"
import { inOneChecker } from "./compilers.ts"
import { type EmptyProject, emptyProject, root } from "./emptyProject.ts"

// The examples of packages, in a project outside this repository, with the packages as they are published.

const examples = join(root, "examples")

let made: EmptyProject | undefined

beforeAll(async () => {
  const { catalog } = parse(await readFile(join(root, "pnpm-workspace.yaml"), "utf8"))
  const { dependencies } = JSON.parse(await readFile(join(examples, "webhooks/package.json"), "utf8"))
  made = await emptyProject(["domain", "signing", "client", "core", "dispatcher", "emulator", "testkit"], {
    dependencies: {
      effect: catalog.effect,
      vitest: catalog.vitest,
      typescript: catalog.typescript,
      "@types/node": catalog["@types/node"],
      "@effect/sql-pg": dependencies["@effect/sql-pg"]
    }
  })
})

afterAll(() => made?.remove())

const node = async (cwd: string, args: ReadonlyArray<string>): Promise<string> => {
  const env = { ...process.env, NO_COLOR: "1", VITEST: "" }
  const ended = promisify(execFile)(process.execPath, [...args], { cwd, env })
  const { stdout, stderr } = await ended.catch((failed: { readonly stdout: string; readonly stderr: string }) => failed)
  return stdout + stderr
}

/** Runs the commands of a README, in a project that has what they install. */
const inShell = async (cwd: string, block: string): Promise<string> => {
  const installed = `npm() { case "$1" in install) ;; test) npx vitest run;; *) exit 64;; esac; }\n${block}`
  const bin = [dirname(process.execPath), join(made!.path, "node_modules/.bin")].join(delimiter)
  const patience = "--testTimeout 100000 --hookTimeout 100000"
  const script = `npx() { "$@" ${patience}; }\n${installed}`
  const env = { ...process.env, NO_COLOR: "1", VITEST: "", PATH: `${bin}${delimiter}${process.env.PATH}` }
  const ended = promisify(execFile)("bash", ["--norc", "-euc", script], { cwd, env })
  const { stdout, stderr } = await ended.catch((failed: { readonly stdout: string; readonly stderr: string }) => failed)
  return stdout + stderr
}

/** Copies an example, and returns its folder. */
const copy = async (name: string): Promise<string> => {
  const folder = join(made!.path, name)
  const isSource = (path: string) => !/\/(package\.json|node_modules|\.turbo|\.reports|vitest\.config\.ts)$/.test(path)
  await cp(join(examples, name), folder, { recursive: true, filter: isSource })
  return folder
}

/** Runs the tests of an example, on a machine that may be loaded. One that hangs says so before this test ends. */
const vitest = (folder: string) => {
  const patience = ["--testTimeout", "100000", "--hookTimeout", "100000"]
  return node(folder, [join(made!.path, "node_modules/vitest/vitest.mjs"), "run", "--root", ".", ...patience])
}

test("delivery prints what its README shows", async () => {
  const folder = await copy("delivery")
  const readme = await readFile(join(root, "examples/delivery/README.md"), "utf8")
  const shown = parseFences("", readme).find(({ language }) => language === "text")
  expect(await inShell(folder, readFence("examples/delivery/README.md", "sh"))).toBe(shown?.code)
})

test("vitest passes, with one emulator for its files", async () => {
  const folder = await copy("vitest")
  for (const file of ["package.json", "vitest.config.ts"]) await cp(join(examples, "vitest", file), join(folder, file))
  expect(await inShell(folder, readFence("examples/vitest/README.md", "sh"))).toMatch(
    /Test Files +2 passed[\s\S]*Tests +2 passed/
  )
})

test("store passes the tests of what a store promises", async () => {
  const folder = await copy("store")
  expect(await inShell(folder, readFence("examples/store/README.md", "sh"))).toMatch(
    /Tests +\d{3} passed \| \d+ skipped/
  )
})

test("webhooks passes its test on SQLite and on PostgreSQL", async () => {
  const folder = await copy("webhooks")
  const alias = { "@tapedeck/suites/postgres": join(root, "tooling/suites/src/postgres/index.ts") }
  await writeFile(join(folder, "vitest.config.ts"), `export default ${JSON.stringify({ resolve: { alias } })}`)
  expect(await vitest(folder)).toMatch(/Tests +2 passed/)
})

test("all compile with the strict settings of those that users copy", async () => {
  const settings = await Promise.all(
    ["delivery", "vitest", "http"].map((name) => readFile(join(examples, name, "tsconfig.json"), "utf8"))
  )
  expect(new Set(settings).size).toBe(1)
  await writeFile(join(made!.path, "strict.json"), settings[0]!)
  const folders = ["delivery", "vitest", "store", "webhooks"]
  for (const name of folders) await copy(name)
  // One program: each would check the same declarations again. TypeScript's own are not what is tested.
  const compilerOptions = { skipDefaultLibCheck: true }
  const include = folders.map((name) => `${name}/*.ts`)
  await writeFile(
    join(made!.path, "tsconfig.json"),
    JSON.stringify({ extends: "./strict.json", compilerOptions, include })
  )
  const tsc = join(made!.path, "node_modules/typescript/bin/tsc")
  expect(await node(made!.path, [tsc, "-p", ".", ...inOneChecker])).toBe("")
})
