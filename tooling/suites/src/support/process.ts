import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** Commands as they are published, from the root. They start in a third of the time that the sources need. */
export const emulatorMain = "packages/emulator/dist/main.js"
export const serverMain = "apps/server/dist/main.js"

export interface Started<T> {
  /** The line that the process printed once it took requests. */
  readonly ready: T
  readonly pid: number
  /** What it has written to stderr so far. */
  readonly logged: () => string
  stop(): Promise<void>
}

export interface Exited {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Variables besides those of this process. */
type Environment = Readonly<Record<string, string>>

const run = (main: string, args: ReadonlyArray<string>, environment: Environment = {}) => {
  const child = spawn(process.execPath, [join(root, main), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment }
  })
  const output = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text
  })
  return { child, output }
}

const exitOf = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode)
    else child.once("close", (code) => resolve(code))
  })

/** Starts a command of ours and waits for its one line of JSON; what it said on stderr comes with a failure. */
export const startProcess = <T>(
  main: string,
  args: ReadonlyArray<string>,
  environment?: Environment
): Promise<Started<T>> => {
  const { child, output } = run(main, args, environment)
  const stop = async () => {
    child.kill("SIGTERM")
    await exitOf(child)
  }
  return new Promise((resolve, reject) => {
    const failed = (why: string) =>
      reject(new Error(`${main} ${args.join(" ")}: ${why}\n${output.stdout}\n${output.stderr}`))
    child.once("error", (cause) => failed(cause.message))
    child.once("close", (code) => failed(`ended with ${code} before it was ready`))
    child.stdout.on("data", () => {
      const end = output.stdout.indexOf("\n")
      if (end < 0) return
      try {
        resolve({
          ready: JSON.parse(output.stdout.slice(0, end)) as T,
          pid: child.pid ?? 0,
          logged: () => output.stderr,
          stop
        })
      } catch {
        child.kill("SIGTERM")
        failed("its first line is not JSON")
      }
    })
  })
}

/** Runs a command of ours that is expected to end by itself. */
export const runProcess = async (
  main: string,
  args: ReadonlyArray<string>,
  environment: Environment = {}
): Promise<Exited> => {
  const { child, output } = run(main, args, environment)
  const code = await exitOf(child)
  return { code, ...output }
}

export interface Folder {
  readonly path: string
  write(name: string, content: string | Uint8Array): Promise<string>
  remove(): Promise<void>
}

/** A folder of its own for files that a command is to read. */
export const temporaryFolder = async (): Promise<Folder> => {
  const path = await mkdtemp(join(tmpdir(), "tapedeck-suites-"))
  return {
    path,
    write: async (name, content) => {
      const file = join(path, name)
      await writeFile(file, content)
      return file
    },
    remove: () => rm(path, { recursive: true, force: true })
  }
}

/** A port that is free at the moment, for programs that cannot choose a free one themselves. */
export const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
