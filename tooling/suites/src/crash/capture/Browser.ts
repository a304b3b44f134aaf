import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chromiumPath } from "@tapedeck/tsconfig/chromium.ts"
import { type Browser as Connection, chromium, type Page } from "playwright-core"
import type { SmallDisk } from "../SmallDisk.ts"

const args = [
  ...["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
  // A screen, a microphone and a camera that show a pattern, and allow themselves.
  ...["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream=fps=5"],
  ...["--remote-debugging-port=0", "about:blank"]
]

/** Chromium with a profile that outlives its process. */
export class Browser {
  private readonly profile: string
  readonly disk: SmallDisk | undefined
  private child: ChildProcess | undefined
  private connection: Connection | undefined

  /** `disk`: where the profile is. Default: this machine's. */
  constructor(profile: string, disk?: SmallDisk) {
    this.profile = profile
    this.disk = disk
  }

  /** A new tab, in a new process where the last one was killed. */
  async tab(): Promise<Page> {
    if (this.connection === undefined) await this.start()
    const page = await this.connection!.contexts()[0]!.newPage()
    page.setDefaultTimeout(60_000)
    return page
  }

  private async start() {
    const command = [chromiumPath, `--user-data-dir=${this.profile}`, ...args]
    const [file = "", ...given] = this.disk?.wrap(command) ?? command
    const child = spawn(file, given, {
      // A process group of its own: all of Chromium's processes are killed at once.
      detached: true,
      stdio: ["ignore", "ignore", "pipe"]
    })
    this.child = child
    process.once("exit", this.end)
    const url = await new Promise<string>((resolve, reject) => {
      let text = ""
      child.once("close", () => reject(new Error(`Chromium did not start: ${text}`)))
      child.stderr!.setEncoding("utf8").on("data", (more: string) => {
        text += more
        const found = /DevTools listening on (\S+)/.exec(text)?.[1]
        if (found !== undefined) resolve(found)
      })
    })
    this.connection = await chromium.connectOverCDP(url)
  }

  private readonly end = () => {
    if (this.child?.pid !== undefined) process.kill(-this.child.pid, "SIGKILL")
  }

  /** Ends all of its processes in the middle of what they do. */
  async kill(): Promise<void> {
    const { child } = this
    if (child === undefined) return
    const closed = once(child, "close")
    this.end()
    this.connection = undefined
    this.child = undefined
    process.off("exit", this.end)
    await closed
  }
}
