import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../../../../apps/server/src/main.ts", import.meta.url))

export interface Listening {
  readonly base_url: string
  readonly tokens: Readonly<Record<string, string>>
}

/** One process of the server on a data directory: from its start to its death. */
export class Life {
  readonly listening: Promise<Listening>
  readonly ended: Promise<number | NodeJS.Signals | null>
  errors = ""
  private readonly child: ChildProcess

  constructor(data: string, more: ReadonlyArray<string>, caFile: string) {
    const args = ["serve", "--data", join(data, "data"), "--port", "0", "--json", "--allow-receivers", "127.0.0.0/8"]
    this.child = spawn(process.execPath, ["--conditions=source", main, ...args, "--ca-file", caFile, ...more], {
      stdio: ["ignore", "pipe", "pipe"]
    })
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
    // Whoever waits for it hears of it; who killed it does not.
    this.listening.catch(() => {})
  }

  kill(signal: "SIGKILL" | "SIGTERM"): void {
    this.child.kill(signal)
  }
}
