import { type ChildProcess, spawn } from "node:child_process"
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"

/**
 * A disk that is soon full. Where the kernel lets this user make a file system in a namespace of its own, it is one of
 * `sizeBytes`, and outlives the servers on it; elsewhere a folder in which no file may grow larger than a few megabytes.
 */
export interface SmallDisk {
  readonly path: string
  /** How to call a command that is to see the disk, and to be limited by it. */
  readonly wrap: (command: ReadonlyArray<string>) => ReadonlyArray<string>
  /** What an upload is answered with that finds no space. */
  readonly refusal: number
  /** Leaves no space at all. Where `needsRestart`, it does nothing: what is written fails by its size. */
  readonly fill: () => Promise<void>
  /** Makes room again; a command that was limited before has to be started anew where `needsRestart`. */
  readonly free: () => Promise<void>
  readonly needsRestart: boolean
  readonly remove: () => Promise<void>
}

export const smallDisk = async (path: string, sizeBytes: number): Promise<SmallDisk> => {
  await mkdir(path, { recursive: true })
  return (await mountedDisk(path, sizeBytes)) ?? limitedFolder(path)
}

const ballastBytes = 2 * 1024 * 1024

const mountedDisk = async (path: string, sizeBytes: number): Promise<SmallDisk | undefined> => {
  const script =
    'mount -t tmpfs -o size="$2" tmpfs "$1" && head -c "$3" /dev/zero > "$1/ballast" && echo mounted && exec cat'
  const flags = ["--user", "--map-root-user", "--mount"]
  const holder = spawn(
    "unshare",
    [...flags, "sh", "-c", script, "sh", path, String(sizeBytes + ballastBytes), String(ballastBytes)],
    { stdio: ["pipe", "pipe", "ignore"] }
  )
  if ((await firstLine(holder)) !== "mounted") return undefined
  const enter = ["nsenter", "--user", "--mount", "--preserve-credentials", "--target", String(holder.pid)]
  return {
    path,
    refusal: 507,
    needsRestart: false,
    wrap: (command) => [...enter, ...command],
    // It ends with an error: there is no space.
    fill: () => done([...enter, "sh", "-c", 'cat /dev/zero > "$1" 2>&-; true', "sh", join(path, "filler")]),
    free: () => done([...enter, "rm", "-f", join(path, "ballast"), join(path, "filler")]),
    remove: async () => {
      holder.stdin.end()
      await new Promise((resolve) => holder.once("close", resolve))
      await rm(path, { recursive: true, force: true })
    }
  }
}

const limitedFolder = (path: string): SmallDisk => {
  let isLimited = true
  return {
    path,
    refusal: 500,
    needsRestart: true,
    wrap: (command) => (isLimited ? ["sh", "-c", 'ulimit -f 3000; exec "$@"', "sh", ...command] : command),
    fill: async () => {},
    free: async () => {
      isLimited = false
    },
    remove: () => rm(path, { recursive: true, force: true })
  }
}

const firstLine = (child: ChildProcess): Promise<string | undefined> =>
  new Promise((resolve) => {
    child.once("error", () => resolve(undefined))
    child.once("close", () => resolve(undefined))
    createInterface({ input: child.stdout! }).once("line", resolve)
  })

const done = ([file = "", ...args]: ReadonlyArray<string>): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ["ignore", "ignore", "inherit"] })
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`${file} ended with ${code}`))))
  })
