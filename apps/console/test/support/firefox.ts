import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { onTestFinished } from "vitest"

export const [firefox, xvfb] = ["/usr/bin/firefox-esr", "/usr/bin/Xvfb"] as const

/** The part of puppeteer-core that tests use. It drives Firefox by WebDriver BiDi. */
interface Page {
  goto(url: string): Promise<unknown>
  evaluate<Arg, Value>(body: (arg: Arg) => Value, arg: Arg): Promise<Awaited<Value>>
  waitForFunction<Arg>(body: (arg: Arg) => unknown, options: { readonly timeout: number }, arg: Arg): Promise<unknown>
  locator(selector: string): { click(): Promise<void> }
}

interface Puppeteer {
  launch(options: object): Promise<{ newPage(): Promise<Page>; close(): Promise<void> }>
}

/** A screen without a machine's display; its name. */
const openScreen = async (): Promise<string> => {
  const server = spawn(xvfb, ["-displayfd", "3", "-screen", "0", "800x600x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"]
  })
  onTestFinished(async () => {
    server.kill()
    if (server.exitCode === null) await once(server, "exit")
  })
  const [number] = (await once(server.stdio[3]!, "data")) as [Buffer]
  return `:${number.toString().trim()}`
}

/** A tab of a Firefox. Without a window it records no screen. */
export const openFirefox = async ({ headless }: { readonly headless: boolean }): Promise<Page> => {
  const require = installOnDemand(join(import.meta.dirname, "../../ondemand"))
  const { default: puppeteer } = require("puppeteer-core") as { readonly default: Puppeteer }
  const home = mkdtempSync(join(tmpdir(), "tapedeck-firefox-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: firefox,
    headless,
    env: { ...process.env, ...(!headless && { DISPLAY: await openScreen() }), HOME: home },
    // The screen is given without a question.
    extraPrefsFirefox: { "media.navigator.permission.disabled": true, "permissions.default.screen": 1 }
  })
  onTestFinished(() => browser.close())
  return browser.newPage()
}
