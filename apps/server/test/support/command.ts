import { type ChildProcess, spawn } from "node:child_process"
import type { EventEmitter } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { getDefaultAutoSelectFamilyAttemptTimeout, setDefaultAutoSelectFamilyAttemptTimeout } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeAll, onTestFinished, vi } from "vitest"
import packageJson from "../../package.json" with { type: "json" }
import type { ServerView } from "../../src/cli/banner.ts"
import { command } from "../../src/cli/command.ts"

const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url))

/** Cleanups of what `forAllTests` opens, while it does. */
let sharedCleanups: Array<() => void> | undefined

/** Cleans up when the test ends, or the last of the tests that share what is opened. */
const atEnd = (clean: () => void) => {
  if (sharedCleanups === undefined) onTestFinished(clean)
  else sharedCleanups.push(clean)
}

/** Starts a server once for all tests of a `describe`, which must not depend on what another one did with it. */
export const forAllTests = <A>(open: () => Promise<A>): (() => A) => {
  let opened: A
  beforeAll(async () => {
    const cleanups: Array<() => void> = []
    sharedCleanups = cleanups
    opened = await open().finally(() => {
      sharedCleanups = undefined
    })
    return () => {
      for (const clean of cleanups.reverse()) clean()
    }
  })
  return () => opened
}

/** How a process ended: its exit code, or the signal that killed it. */
export type Ending = number | NodeJS.Signals | null

/** A command that has ended. */
export interface Ended {
  readonly code: Ending
  readonly out: string
  readonly err: string
}

export interface Command {
  readonly child: ChildProcess
  readonly ended: Promise<Ending>
  /** What it has written so far. */
  readonly output: { readonly out: string; readonly err: string }
}

/** The environment of a tested server: no settings of the user who runs the tests, and no ffmpeg unless a test needs it. */
const cleanEnvironment = (own: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("TAPEDECK_"))),
  TAPEDECK_FFMPEG: "off",
  ...own
})

const start = (args: ReadonlyArray<string>, environment: NodeJS.ProcessEnv = {}): Command => {
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    // It is killed at the end, and removes nothing then.
    env: cleanEnvironment({ TMPDIR: temporaryFolder(), ...environment })
  })
  atEnd(() => void child.kill("SIGKILL"))
  const output = { out: "", err: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.out += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.err += text
  })
  const ended = new Promise<Ending>((resolve) => child.once("close", (code, signal) => resolve(code ?? signal)))
  return { child, ended, output }
}

/** What commands listen to until their process ends. */
const listeners: ReadonlyArray<readonly [EventEmitter, string]> = [
  [process, "SIGINT"],
  [process, "SIGTERM"],
  [process, "SIGHUP"],
  [process, "exit"],
  [process.stderr, "error"]
]

/**
 * Output and exit code of the command, which runs in this process: a process takes 0.2 seconds of processor time to start.
 * Not for `serve` that starts, nor for what only a process shows: see `runProcess`. One at a time.
 */
export const run = async (args: ReadonlyArray<string>, environment: NodeJS.ProcessEnv = {}): Promise<Ended> => {
  const output = { out: "", err: "" }
  const { env, exitCode } = process
  const attemptMs = getDefaultAutoSelectFamilyAttemptTimeout()
  const written = (name: keyof typeof output) => (text: string | Uint8Array) => {
    output[name] += String(text)
    return true
  }
  const out = vi.spyOn(process.stdout, "write").mockImplementation(written("out"))
  const err = vi.spyOn(process.stderr, "write").mockImplementation(written("err"))
  const removeListeners = listeners.map(([emitter, event]) => {
    const before = emitter.listeners(event)
    return () => {
      for (const added of emitter.listeners(event).filter((listener) => !before.includes(listener)))
        emitter.off(event, added as () => void)
    }
  })
  process.env = cleanEnvironment({ TMPDIR: temporaryFolder(), ...environment })
  process.exitCode = undefined
  try {
    await command(args, packageJson.version)
    return { code: Number(process.exitCode ?? 0), ...output }
  } finally {
    process.env = env
    process.exitCode = exitCode
    setDefaultAutoSelectFamilyAttemptTimeout(attemptMs)
    for (const remove of removeListeners) remove()
    out.mockRestore()
    err.mockRestore()
  }
}

/** Output and exit code of the published command in a process of its own, when it ends by itself. */
export const runProcess = async (args: ReadonlyArray<string>, environment: NodeJS.ProcessEnv = {}): Promise<Ended> => {
  const { ended, output } = start(args, environment)
  const code = await ended
  return { code, out: output.out, err: output.err }
}

/** Waits for a line on the command's standard error, and gives it. */
export const said = ({ child, ended, output }: Command, text: string | RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    const look = () => {
      const line = output.err
        .split("\n")
        .find((one) => (typeof text === "string" ? one.includes(text) : text.test(one)))
      if (line !== undefined) resolve(line)
    }
    child.stderr?.on("data", look)
    look()
    void ended.then((code) => reject(new Error(`ended with ${code}, and never said ${text}: ${output.err}`)))
  })

/** A server on a free port, once it listens, with the line that it printed. */
export const listening = async (args: ReadonlyArray<string>, environment: NodeJS.ProcessEnv = {}) => {
  const command = start(["serve", "--port", "0", "--json", ...args], environment)
  const view = await new Promise<ServerView>((resolve, reject) => {
    command.child.stdout?.on("data", () => {
      const [line, ...more] = command.output.out.split("\n")
      if (more.length > 0) resolve(JSON.parse(line ?? "") as ServerView)
    })
    void command.ended.then((code) => reject(new Error(`ended with ${code}: ${command.output.err}`)))
  })
  const stop = () => {
    command.child.kill("SIGTERM")
    return command.ended
  }
  return { ...command, view, stop }
}

/** A server on a free port that has greeted a person: once it listens. */
export const started = async (args: ReadonlyArray<string>, environment: NodeJS.ProcessEnv = {}): Promise<Command> => {
  const command = start(["serve", "--port", "0", ...args], environment)
  await new Promise<void>((resolve, reject) => {
    command.child.stdout?.on("data", () => resolve())
    void command.ended.then((code) => reject(new Error(`ended with ${code}: ${command.output.err}`)))
  })
  return command
}

/** A file that is removed when the test ends. */
export const fileWith = (text: string, name = "tapedeck.yaml"): string => {
  const file = join(temporaryFolder(), name)
  writeFileSync(file, text)
  return file
}

/** A folder that is removed when the test ends. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-server-"))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
