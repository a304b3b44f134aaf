/**
 * `pnpm examples`: applies the examples of CONTRIBUTING.md to a copy of the last commit, and runs there what such changes must pass: the
 * checks, the tests of the packages, the black-box suites and the conformance suites. Takes a quarter of an hour.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { applyExample, examples, filesOf } from "./examples.ts"

const root = join(import.meta.dirname, "../../../..")
const packages = ["domain", "contract", "core", "http", "signing", "client", "storage", "fixtures"]
const suites = ["blackbox", "conformance"]

const copy = mkdtempSync(join(tmpdir(), "tapedeck-examples-"))
const run = (command: string, args: ReadonlyArray<string>, cwd = copy) =>
  execFileSync(command, [...args], { cwd, stdio: "inherit" })
const pnpm = join(root, "node_modules/.bin/pnpm")

try {
  run("git", ["clone", "--quiet", "--shared", root, copy])
  run(pnpm, ["install", "--frozen-lockfile", "--prefer-offline", "--silent"])
  for (const example of examples) {
    applyExample(copy, example)
    const files = filesOf(example)
    console.log(`${example.name}: ${files.length} files, at most ${example.maxFiles}`)
    for (const file of files) console.log(`  ${file}`)
    if (files.length > example.maxFiles) process.exitCode = 1
  }
  run(pnpm, ["--filter", "@tapedeck/client", "run", "generate"])
  run(pnpm, ["check"])
  run(pnpm, ["exec", "turbo", "run", "build", "--filter", "@tapedeck/emulator", "--filter", "@tapedeck/server"])
  for (const name of packages) run(pnpm, ["exec", "vitest", "run"], join(copy, "packages", name))
  run(pnpm, ["exec", "vitest", "run", ...suites.map((name) => `test/${name}`)], join(copy, "tooling/suites"))
} finally {
  rmSync(copy, { recursive: true, force: true })
}
