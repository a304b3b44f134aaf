// Takes long: starts first.
import { existsSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { madeLink } from "./support/captureLink.ts"
import { comparePages } from "./support/comparePages.ts"
import { firefox, openFirefox, xvfb } from "./support/firefox.ts"
import { groups } from "./support/pageServer.ts"

describe.skipIf(!existsSync(firefox) || !existsSync(xvfb))("Firefox", () => {
  let browser: Awaited<ReturnType<typeof openFirefox>>

  beforeAll(async () => {
    browser = await openFirefox()
  })
  afterAll(() => browser.close())

  test("shows that pages behave the same with capture.js and without it, and that their logs go on", async () => {
    const page = await browser.newPage()
    for (const name of Object.keys(groups)) {
      await comparePages(
        name,
        (url) => page.goto(url),
        (body, arg) => page.evaluate(body, arg)
      )
    }
    await page.close()
  })

  test("records its whole screen without a microphone, second by second", async () => {
    const { address, received, videoOf } = await madeLink({ sources: { screen: "required", microphone: "off" } })
    const page = await browser.newPage()
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
  })
})
