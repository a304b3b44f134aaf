import { spawn } from "node:child_process"
import { relative, resolve } from "node:path"
import { runTool } from "./processes.ts"
import { root } from "./project.ts"

/** Output of a compiler process: each finding as `path:line rule message`, with its path from the repository's root. */
interface Compiled {
  readonly output: string
  readonly status: number
}

const diagnostic = /^(.+?)\((\d+),\d+\): (?:error|warning) (TS\d+): (.*?)(?: effect\((\w+)\))?$/gm

// Without garbage collection up to the limit: what a program allocates is mostly its types, which stay.
const environment = { ...process.env, GOGC: "off", GOMEMLIMIT: "3GiB" }

// One checker: each builds its own types, so four take twice the processor time.
const fixed = ["--noEmit", "--pretty", "false", "--checkers", "1"]

/**
 * Checks the types of a project, with Effect's lints (settings in tooling/tsconfig/base.json). The status is the compiler's, which
 * errors and warnings both make 1 or 2.
 */
export const compile = async (
  directory: string,
  project: string,
  more: ReadonlyArray<string> = []
): Promise<Compiled> => {
  const located = await runTool("effect-tsgo", ["get-exe-path"])
  if (located.status !== 0) throw new Error(`effect-tsgo has no compiler for this machine: ${located.stderr}`)
  return new Promise((done, fail) => {
    const compiler = spawn(located.stdout.trim(), ["-p", project, ...fixed, ...more], {
      cwd: directory,
      env: environment
    })
    let output = ""
    for (const stream of [compiler.stdout, compiler.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
      })
    }
    compiler.on("error", fail)
    compiler.on("close", (status) =>
      done({ output: output.replace(diagnostic, formatLine(directory)), status: status ?? 1 })
    )
  })
}

const formatLine =
  (directory: string) => (_line: string, file: string, line: string, code: string, message: string, rule?: string) =>
    `${relative(root, resolve(directory, file))}:${line} ${rule ? `effect/${rule}` : code} ${message}`
