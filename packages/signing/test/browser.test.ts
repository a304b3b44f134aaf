import { createServer } from "node:http"
import { chromium } from "playwright-core"
import { expect, test } from "vitest"
import { serve } from "./support/receiverSuite.ts"
import { isInstalled } from "./support/run.ts"
import { selfTest, selfTestPassed } from "./support/selfTest.ts"

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/opt/google/chrome/chrome"]

const installed = async () => {
  for (const place of places) if (await isInstalled(place)) return place
  return undefined
}

test("the browser bundle gives every expected answer in headless Chromium", async ({ skip }) => {
  const executablePath = await installed()
  if (executablePath === undefined) {
    console.log(
      "skipped: the bundle is not run in a browser, because Chromium is not installed here (apt-get install chromium)"
    )
    return skip("Chromium is not installed")
  }
  // WebCrypto is there in secure contexts alone, and this machine's own addresses are such.
  const server = await serve(
    createServer((_request, response) => response.setHeader("content-type", "text/html").end("<p>"))
  )
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
  try {
    const page = await browser.newPage()
    const complaints: Array<string> = []
    page.on("pageerror", (error) => complaints.push(error.message))
    await page.goto(server.url)
    await page.addScriptTag({ content: await selfTest("browser") })
    expect(JSON.parse(await page.evaluate("selfTest()"))).toEqual(selfTestPassed("browser"))
    expect(complaints).toEqual([])
  } finally {
    await browser.close()
    await server.close()
  }
})
