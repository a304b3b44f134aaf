/**
 * Type-checks the package in the working directory: TypeScript and Effect's lints in one compiler (settings in
 * tooling/tsconfig/base.json). Prints `path:line rule message` with paths from the repository's root; exits as the
 * compiler does, so errors and warnings both fail.
 */
import { spawnSync } from "node:child_process"
import { relative, resolve } from "node:path"
import { runTool } from "./processes.ts"
import { root } from "./project.ts"

const located = await runTool("effect-tsgo", ["get-exe-path"])
if (located.status !== 0) throw new Error(`effect-tsgo has no compiler for this machine: ${located.stderr}`)

// One checker: each builds its own types, so four take twice the processor time. turbo runs packages side by side.
const parameters = ["-p", ".", "--noEmit", "--pretty", "false", "--checkers", "1"]
const compiler = spawnSync(located.stdout.trim(), parameters, { encoding: "utf8" })
if (compiler.error) throw compiler.error

const diagnostic = /^(.+?)\((\d+),\d+\): (?:error|warning) (TS\d+): (.*?)(?: effect\((\w+)\))?$/gm
const output = (compiler.stdout + compiler.stderr).replace(
  diagnostic,
  (_line, file: string, line: string, code: string, message: string, effectRule?: string) =>
    `${relative(root, resolve(file))}:${line} ${effectRule ? `effect/${effectRule}` : code} ${message}`
)
process.stdout.write(output)
process.exitCode = compiler.status ?? 1
