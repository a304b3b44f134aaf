import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { serverMain } from "../support/process.ts"

const main = fileURLToPath(new URL(`../../../../${serverMain}`, import.meta.url))

export interface Listening {
  readonly base_url: string
  readonly tokens: Readonly<Record<string, string>>
}

export interface LifeOptions {
  readonly data: string
  /** More options of the command. */
  readonly more: ReadonlyArray<string>
  /** Besides this process's own. */
  readonly environment?: Readonly<Record<string, string>>
  /** Modules that Node loads first. */
  readonly imports?: ReadonlyArray<string>
  /** What to call in place of the command. */
  readonly wrap?: (command: ReadonlyArray<string>) => ReadonlyArray<string>
}

/** One process of the server on a data directory: from its start to its death. */
export class Life {
  readonly listening: Promise<Listening>
  readonly ended: Promise<number | NodeJS.Signals | null>
  errors = ""
  private readonly child: ChildProcess

  constructor({ data, environment = {}, imports = [], more, wrap = (command) => command }: LifeOptions) {
    // What is uploaded here is no real video: no ffmpeg needs to find that out.
    const serve = ["serve", "--data", data, "--port", "0", "--ffmpeg", "off", "--json", ...more]
    const node = imports.flatMap((module) => ["--import", module])
    const [file = "", ...args] = wrap([process.execPath, ...node, main, ...serve])
    this.child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...environment } })
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.errors += text
    })
    this.ended = new Promise((resolve) => this.child.once("close", (code, signal) => resolve(code ?? signal)))
    this.listening = new Promise((resolve, reject) => {
      let out = ""
      this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
        out += text
        if (out.includes("\n")) resolve(JSON.parse(out) as Listening)
      })
      void this.ended.then((ending) => reject(new Error(`the server ended with ${ending}: ${this.errors}`)))
    })
    // Reported to those that await it; unhandled otherwise, as after a kill.
    this.listening.catch(() => {})
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  kill(signal: "SIGKILL" | "SIGTERM" | "SIGSTOP" | "SIGCONT"): void {
    this.child.kill(signal)
  }
}
