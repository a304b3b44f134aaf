import { execFile } from "node:child_process"
import { cp, readFile, writeFile } from "node:fs/promises"
import { delimiter, dirname, join } from "node:path"
import { promisify } from "node:util"
import { parseFences, readFence } from "@tapedeck/tsconfig/fences.ts"
import { afterAll, beforeAll, expect, test } from "vitest"
import { parse } from "yaml"
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
  await cp(join(examples, "http/tsconfig.json"), join(made.path, "strict.json"))
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

/** Copies an example, checks its types with strict settings, and returns its folder. */
const copy = async (name: string, strict = "tsconfig.json"): Promise<string> => {
  const folder = join(made!.path, name)
  const isSource = (path: string) => !/\/(package\.json|node_modules|\.turbo|\.reports|vitest\.config\.ts)$/.test(path)
  await cp(join(examples, name), folder, { recursive: true, filter: isSource })
  if (strict !== "tsconfig.json") {
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ extends: "../strict.json", include: ["*.ts"] }))
  }
  expect(
    await node(folder, [join(made!.path, "node_modules/typescript/bin/tsc"), "-p", ".", "--pretty", "false"])
  ).toBe("")
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
  const folder = await copy("store", "strict")
  expect(await inShell(folder, readFence("examples/store/README.md", "sh"))).toMatch(
    /Tests +\d{3} passed \| \d+ skipped/
  )
})

test("webhooks passes its test on SQLite and on PostgreSQL", async () => {
  const folder = await copy("webhooks", "strict")
  const alias = { "@tapedeck/suites/postgres": join(root, "tooling/suites/src/postgres/index.ts") }
  await writeFile(join(folder, "vitest.config.ts"), `export default ${JSON.stringify({ resolve: { alias } })}`)
  expect(await vitest(folder)).toMatch(/Tests +2 passed/)
})
