import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"

export const packageDirectory = join(import.meta.dirname, "../..")

/** A command of the workspace's node_modules. */
export const workspaceBin = (name: string): string => join(packageDirectory, "../../node_modules/.bin", name)

const executed = promisify(execFile)

interface RunOptions {
  readonly cwd?: string
  readonly input?: string
  /** Gives the standard error too. */
  readonly both?: boolean
}

/** Runs a command; gives its standard output, or throws with all that it said. */
export const run = async (
  command: string,
  parameters: ReadonlyArray<string>,
  { cwd = packageDirectory, input = "", both = false }: RunOptions = {}
): Promise<string> => {
  const running = executed(command, [...parameters], { cwd, maxBuffer: 64 * 1_048_576 })
  // A command may end without reading its input.
  running.child.stdin?.on("error", () => {})
  running.child.stdin?.end(input)
  try {
    const { stdout, stderr } = await running
    return both ? stdout + stderr : stdout
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as Error & { stdout?: string; stderr?: string }
    throw new Error(`${message}\n${stdout}\n${stderr}`)
  }
}

/** Whether a command can be run here. */
export const isInstalled = async (
  command: string,
  parameters: ReadonlyArray<string> = ["--version"]
): Promise<boolean> => {
  try {
    await run(command, parameters)
    return true
  } catch {
    return false
  }
}
