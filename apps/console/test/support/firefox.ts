import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"

export const [firefox, xvfb] = ["/usr/bin/firefox-esr", "/usr/bin/Xvfb"] as const

/** The part of puppeteer-core that tests use. It drives Firefox by WebDriver BiDi. */
interface Page {
  goto(url: string): Promise<unknown>
  evaluate<Arg, Value>(body: (arg: Arg) => Value, arg: Arg): Promise<Awaited<Value>>
  waitForFunction<Arg>(body: (arg: Arg) => unknown, options: { readonly timeout: number }, arg: Arg): Promise<unknown>
  locator(selector: string): { click(): Promise<void> }
  close(): Promise<void>
}

interface Puppeteer {
  launch(options: object): Promise<{ newPage(): Promise<Page>; close(): Promise<void> }>
}

/** A screen without a machine's display. */
const openScreen = async () => {
  const server = spawn(xvfb, ["-displayfd", "3", "-screen", "0", "800x600x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"]
  })
  const [number] = (await once(server.stdio[3]!, "data")) as [Buffer]
  return {
    name: `:${number.toString().trim()}`,
    close: async () => {
      server.kill()
      if (server.exitCode === null) await once(server, "exit")
    }
  }
}

/** A Firefox with a window: without one it records no screen. */
export const openFirefox = async () => {
  const require = installOnDemand(join(import.meta.dirname, "../../ondemand"))
  const { default: puppeteer } = require("puppeteer-core") as { readonly default: Puppeteer }
  const home = mkdtempSync(join(tmpdir(), "tapedeck-firefox-"))
  const screen = await openScreen()
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: firefox,
    headless: false,
    // Events of the network are not read here, and take a quarter of the time.
    networkEnabled: false,
    env: { ...process.env, DISPLAY: screen.name, HOME: home },
    // The screen is given without a question.
    extraPrefsFirefox: { "media.navigator.permission.disabled": true, "permissions.default.screen": 1 }
  })
  return {
    newPage: () => browser.newPage(),
    close: async () => {
      await browser.close()
      await screen.close()
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}
