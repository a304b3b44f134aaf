import { spawn } from "node:child_process"
import { delimiter, join } from "node:path"
import { root } from "./project.ts"

const binaries = join(root, "node_modules/.bin")

/** The project's own Node and tools come first, however this was started. */
const environment = { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH ?? ""}` }

/** A process that has ended. */
export interface Ended {
  readonly stdout: string
  readonly stderr: string
  /** The exit status; 1 for a process that a signal ended or that could not be started (`stderr` says why). */
  readonly status: number
}

/**
 * Runs one of the workspace's tools (by its name in node_modules/.bin) to its end, in the root. What it prints is
 * collected, and with `show` also passed on as it comes.
 */
export const runTool = (
  tool: string,
  parameters: ReadonlyArray<string>,
  options: { readonly show?: boolean } = {}
): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(join(binaries, tool), parameters, {
      cwd: root,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"]
    })
    const collected = { stdout: "", stderr: "" }
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        collected[stream] += text
        if (options.show) process[stream].write(text)
      })
    }
    child.on("error", ({ message }) => resolve({ ...collected, stderr: message, status: 1 }))
    child.on("close", (status) => resolve({ ...collected, status: status ?? 1 }))
  })
