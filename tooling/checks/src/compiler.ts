import { spawn } from "node:child_process"
import { relative, resolve } from "node:path"
import { oneChecker, withoutCollection } from "@tapedeck/tsconfig/compiler.ts"
import { runTool } from "./processes.ts"
import { root } from "./project.ts"

/** Output of a compiler process: each finding as `path:line rule message`, with its path from the repository's root. */
interface Compiled {
  readonly output: string
  readonly status: number
}

const diagnostic = /^(.+?)\((\d+),\d+\): (?:error|warning) (TS\d+): (.*?)(?: effect\((\w+)\))?$/gm

const fixed = ["--noEmit", "--pretty", "false", ...oneChecker]

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
      env: withoutCollection
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
