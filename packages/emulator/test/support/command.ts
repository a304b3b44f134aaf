import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

/** The command as it is published. It starts in a third of the time that the sources need. */
const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url))

/** What a shell would call to run the command with these arguments. */
export const commandLine = (args: ReadonlyArray<string>): ReadonlyArray<string> => [process.execPath, main, ...args]

/** How a process ended: its exit code, or the signal that killed it. */
export type Ending = number | NodeJS.Signals | null

export interface Command {
  readonly pid: number
  /** The next line of standard output, and of standard error; undefined when there is no more. */
  readonly outLine: () => Promise<string | undefined>
  readonly errLine: () => Promise<string | undefined>
  /** Sends a signal. */
  readonly kill: (signal: NodeJS.Signals) => void
  /** Ends standard input, as the death of a caller does. */
  readonly endInput: () => void
  readonly ended: Promise<Ending>
}

/** Starts a process, and kills it when the test ends before it. Its output is discarded unless the test reads it. */
export const start = ([file = "", ...args]: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): Command => {
  const child = spawn(file, args, { stdio: "pipe", env: { ...process.env, ...env } })
  onTestFinished(() => void child.kill("SIGKILL"))
  return {
    pid: child.pid!,
    outLine: lines(child, "stdout"),
    errLine: lines(child, "stderr"),
    kill: (signal) => child.kill(signal),
    endInput: () => child.stdin.end(),
    ended: new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)))
  }
}

const lines = (child: ChildProcess, stream: "stdout" | "stderr") => {
  let iterator: AsyncIterator<string> | undefined
  return async () => {
    iterator ??= createInterface({ input: child[stream]! })[Symbol.asyncIterator]()
    const { done, value } = await iterator.next()
    return done === true ? undefined : value
  }
}

/** The rest of a stream's lines. */
export const rest = async (line: () => Promise<string | undefined>): Promise<ReadonlyArray<string>> => {
  const all: Array<string> = []
  for (let one = await line(); one !== undefined; one = await line()) all.push(one)
  return all
}

/** What the command says and how it ends, when it ends by itself. */
export const run = async (...args: ReadonlyArray<string>) => {
  const command = start(commandLine(args))
  const [out, err, code] = await Promise.all([rest(command.outLine), rest(command.errLine), command.ended])
  return { out: out.join("\n"), err: err.join("\n"), code }
}

/** Starts the command on a free port, with `--json`; gives it once it listens, with the world that it printed. */
export const listening = async (...args: ReadonlyArray<string>) => {
  const command = start(commandLine(["--port", "0", "--json", ...args]))
  const line = await command.outLine()
  if (line === undefined) throw new Error((await rest(command.errLine)).join("\n"))
  return { ...command, world: JSON.parse(line) as { base_url: string; control_url: string; tokens: object } }
}

/** A folder for the files of one test. */
export const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-cli-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
