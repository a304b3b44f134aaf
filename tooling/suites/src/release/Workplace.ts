import { type ChildProcessByStdio, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { promisify } from "node:util"
import { parse } from "yaml"

export const root = join(import.meta.dirname, "../../../..")

type Environment = Readonly<Record<string, string>>

/** Where a command runs. */
interface Place {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** A command that was started. */
export interface Running {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  /** Its exit code, or null if a signal ended it. */
  readonly closed: Promise<number | null>
  /** Ends it with all processes that it started. */
  readonly stop: () => Promise<void>
}

/** A package of the release, as its manifest describes it. */
export interface Released {
  readonly name: string
  readonly version: string
  /** The folder in the versioned copy of the tree. */
  readonly folder: string
}

/**
 * The folder of a rehearsal. Everything that the rehearsal writes is in it, and its commands get an environment that is made here:
 * neither the caller's registries and tokens nor its home.
 */
export class Workplace {
  readonly folder: string
  /** The versioned copy of the tree. */
  readonly copy: string
  readonly #running = new Set<Running>()
  readonly #endings: Array<() => Promise<void> | void> = []

  private constructor(folder: string) {
    this.folder = folder
    this.copy = join(folder, "tree")
  }

  static readonly create = async (): Promise<Workplace> => {
    const workplace = new Workplace(await mkdtemp(join(tmpdir(), "tapedeck-release-")))
    const { bin, home } = workplace
    for (const folder of [bin, home]) await mkdir(folder)
    const { stdout: npm } = await promisify(execFile)("which", ["npm"])
    const cli = await realpath(npm.trim())
    await symlink(process.execPath, join(bin, "node"))
    await symlink(cli, join(bin, "npm"))
    await symlink(cli.replace(/npm-cli\.js$/, "npx-cli.js"), join(bin, "npx"))
    await symlink("/bin/sh", join(bin, "sh"))
    return workplace
  }

  /** Programs of a machine that has only Node and npm. */
  get bin(): string {
    return join(this.folder, "bin")
  }

  get home(): string {
    return join(this.folder, "home")
  }

  /** Writes the npmrc of all commands, which then know one registry and one token. It has to be on loopback. */
  readonly useRegistry = async (url: string, token: string): Promise<void> => {
    const { host, hostname } = new URL(url)
    if (hostname !== "127.0.0.1") throw new Error(`The registry is not on loopback: ${url}`)
    const lines = [`registry=${url}`, `@tapedeck:registry=${url}`, `//${host}/:_authToken=${token}`]
    await writeFile(join(this.home, ".npmrc"), `${lines.join("\n")}\n`)
  }

  /** The environment of a machine with Node and npm, whose caches are below `home`. */
  readonly bare = (home = this.home): Environment => ({
    PATH: this.bin,
    HOME: home,
    NPM_CONFIG_USERCONFIG: join(this.home, ".npmrc"),
    NPM_CONFIG_CACHE: join(home, "npm-cache"),
    NPM_CONFIG_UPDATE_NOTIFIER: "false",
    NO_COLOR: "1",
    LANG: "C.UTF-8",
    CI: "true"
  })

  /** The same with the tools of the copy. */
  get release(): Environment {
    const bare = this.bare()
    const path = [join(this.copy, "node_modules/.bin"), this.bin, "/usr/local/bin", "/usr/bin", "/bin"]
    return { ...bare, PATH: path.join(delimiter) }
  }

  /** Starts a command in a process group of its own. */
  readonly start = (command: string, args: ReadonlyArray<string>, { cwd, env }: Place): Running => {
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
    // The output is closed when all of the group have ended.
    const closed = once(child, "close").then(([code]) => {
      this.#running.delete(running)
      return code as number | null
    })
    const stop = async () => {
      if (child.pid !== undefined && this.#running.has(running)) process.kill(-child.pid, "SIGTERM")
      await closed
    }
    const running = { child, closed, stop }
    this.#running.add(running)
    return running
  }

  /** Runs a command to its end, and returns its output. An error contains all that the command wrote. */
  readonly run = async (
    command: string,
    args: ReadonlyArray<string>,
    { cwd = this.copy, env = this.release }: Partial<Place> = {}
  ): Promise<string> => {
    const { child, closed } = this.start(command, args, { cwd, env })
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed])
    if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}: ${`${stdout}${stderr}`.trim()}`)
    return stdout
  }

  /** Versions that the tree pins for all of its packages. */
  readonly catalog = async (): Promise<Readonly<Record<string, string>>> =>
    parse(await readFile(join(root, "pnpm-workspace.yaml"), "utf8")).catalog

  /** Calls a function at the end of the rehearsal, in reverse order of the calls of this method. */
  readonly atEnd = (call: () => Promise<void> | void): void => void this.#endings.push(call)

  /** Ends the commands that run, stops what was started, and removes the folder unless it is to be kept. */
  readonly end = async ({ isKept }: { readonly isKept: boolean }): Promise<void> => {
    for (const { stop } of this.#running) await stop().catch(console.error)
    // One that fails leaves the others their turn.
    for (const call of this.#endings.splice(0).reverse()) await (async () => call())().catch(console.error)
    if (!isKept) await rm(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
