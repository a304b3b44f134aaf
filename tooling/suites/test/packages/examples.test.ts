import { execFile } from "node:child_process"
import { cp, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
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
  const [, shown] = /^```text\n([\s\S]*?)^```$/m.exec(await readFile(join(folder, "README.md"), "utf8"))!
  expect(await node(folder, ["main.ts"])).toBe(shown)
})

test("vitest passes, with one emulator for its files", async () => {
  const folder = await copy("vitest")
  await cp(join(examples, "vitest/vitest.config.ts"), join(folder, "vitest.config.ts"))
  expect(await vitest(folder)).toMatch(/Test Files +2 passed[\s\S]*Tests +2 passed/)
})

test("store passes the tests of what a store promises", async () => {
  expect(await vitest(await copy("store", "strict"))).toMatch(/Tests +\d{3} passed \| \d+ skipped/)
})

test("webhooks passes its test on SQLite and on PostgreSQL", async () => {
  const folder = await copy("webhooks", "strict")
  const alias = { "@tapedeck/suites/postgres": join(root, "tooling/suites/src/postgres/index.ts") }
  await writeFile(join(folder, "vitest.config.ts"), `export default ${JSON.stringify({ resolve: { alias } })}`)
  expect(await vitest(folder)).toMatch(/Tests +2 passed/)
})
