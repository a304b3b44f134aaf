import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { expect, onTestFinished, test } from "vitest"
import { madeLink } from "./support/captureLink.ts"

const [firefox, xvfb] = ["/usr/bin/firefox-esr", "/usr/bin/Xvfb"]

/** What the test uses of puppeteer-core, which drives Firefox by WebDriver BiDi. */
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

const openFirefox = async (): Promise<Page> => {
  const require = installOnDemand(join(import.meta.dirname, "../ondemand"))
  const { default: puppeteer } = require("puppeteer-core") as { readonly default: Puppeteer }
  const home = mkdtempSync(join(tmpdir(), "tapedeck-firefox-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: firefox,
    // Without a window Firefox records no screen.
    headless: false,
    env: { ...process.env, DISPLAY: await openScreen(), HOME: home },
    // The screen is given without a question.
    extraPrefsFirefox: { "media.navigator.permission.disabled": true, "permissions.default.screen": 1 }
  })
  onTestFinished(() => browser.close())
  return browser.newPage()
}

test.skipIf(!existsSync(firefox) || !existsSync(xvfb))(
  "Firefox records its whole screen without a microphone, second by second",
  async () => {
    const { address, received, videoOf } = await madeLink({ sources: { screen: "required", microphone: "off" } })
    const page = await openFirefox()
    const press = (name: string) => page.locator(`::-p-aria([name="${name}"][role="button"])`).click()
    const heading = (text: string) =>
      page.waitForFunction((wanted) => document.querySelector("h1")?.textContent === wanted, { timeout: 60_000 }, text)
    await page.goto(address)
    await press("Continue")
    await heading("Ready?")
    await press("Start recording")
    await heading("Recording")
    // The time is that of what is kept: it stands still where the browser gives no bytes.
    const isRecorded = (seconds: number) => Number(/● \d+:(\d+)/.exec(document.title)?.[1] ?? 0) >= seconds
    await page.waitForFunction(isRecorded, { timeout: 60_000 }, 2)
    await press("Stop")
    await press("Send")
    await heading("Thank you. Your recording was sent.")
    const [recording] = await received()
    const video = await videoOf(recording!.uuid)
    expect([...video.slice(0, 4)]).toEqual([0x1a, 0x45, 0xdf, 0xa3])
    expect(Buffer.from(video).includes("V_VP8")).toBe(true)
  }
)
