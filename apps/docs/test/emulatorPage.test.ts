import { readFileSync } from "node:fs"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { startEmulator } from "@tapedeck/emulator"
import { chromiumPath } from "@tapedeck/tsconfig/chromium.ts"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { emulatorScript, scriptTags } from "../src/pageScripts.ts"
import { root } from "../src/pages.ts"
import { writePageScripts } from "../src/writePageScripts.ts"
import { walk } from "./support/walk.ts"

const base = "/below/"

const body = readFileSync(join(root, "docs/webhooks-without-waiting.md"), "utf8")

/** The page as a static host serves it, with the text as it is. */
const html = `<!doctype html><html lang="en"><head><title>Webhooks</title><meta name="viewport" content="width=device-width">
${scriptTags(body, base)
  .map(({ attrs, tag }) => {
    const written = Object.entries(attrs).map(([name, value]) => `${name}="${value}"`)
    return `<${tag} ${written.join(" ")}>${tag === "script" ? "</script>" : ""}`
  })
  .join("\n")}
</head><body><main><h1>Webhooks</h1>${body.match(/<tapedeck-emulator>.*<\/tapedeck-emulator>/s)?.[0]}</main></body></html>`

/** A host may forbid code from texts, and styles in the page. */
const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": "default-src 'self'" }

let folder: string
let server: Server
let browser: Browser
let page: Page
/** Paths of all requests of the page. */
const requested: Array<string> = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tapedeck-page-"))
  await writePageScripts(folder)
  server = createServer(async ({ url = "" }, response) => {
    requested.push(url)
    if (url === base) return response.writeHead(200, headers).end(html)
    const file = await readFile(join(folder, url.slice(base.length))).catch(() => undefined)
    response.writeHead(file === undefined ? 404 : 200, { "content-type": "text/javascript" }).end(file)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] })
  page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`)
  await page.locator("tapedeck-emulator[data-ready]").waitFor()
})

afterAll(async () => {
  await browser?.close()
  server?.close()
  await rm(folder, { recursive: true, force: true })
})

test("the emulator in a browser writes the same bytes as the package in Node", async () => {
  const inBrowser = await page.evaluate(
    `import("${base}${emulatorScript}").then(({ startEmulator }) => (${walk})(startEmulator))`
  )
  expect(inBrowser).toBe(await walk(startEmulator))
})

test("the emulator of a page has at most 500 kB compressed", () => {
  const code = readFileSync(join(folder, emulatorScript))
  expect(gzipSync(code).length).toBeLessThan(500_000)
})

test("a reader moves the clock by keyboard and sees six attempts of a failing webhook, each with its signed request", async () => {
  await page.getByRole("button", { name: "Add the recording to the folder" }).press("Enter")
  await page.getByText("Attempt 1, 0 min after the first: 500, failure. The next attempt is due in 1 min.").waitFor()
  for (const [attempt, elapsed] of [
    [2, "1 min"],
    [3, "6 min"],
    [4, "36 min"],
    [5, "2 h 36 min"]
  ]) {
    await page.keyboard.press("Enter")
    await page.getByText(`Attempt ${attempt}, ${elapsed} after the first: 500, failure.`).waitFor()
  }
  await page.keyboard.press("Enter")
  await page.getByText("Attempt 6, 14 h 36 min after the first: 500, failure. The webhook has failed").waitFor()
  await page.locator("ol summary").last().press("Enter")
  const request = await page.locator("ol > li:last-child pre").first().textContent()
  expect(request).toContain("POST https://sinks.tapedeck.test/receiver")
  expect(request).toMatch(/x-tapedeck-signature: sha256=[0-9a-f]{64}/)
  await page.getByText("The database is not available.").last().waitFor()

  await page.getByRole("button", { name: "Start again" }).press("Enter")
  await page.getByRole("radio", { name: "no answer" }).check()
  await page.getByRole("button", { name: "Add the recording" }).click()
  await page.getByRole("button", { name: "To the time-out" }).click()
  await page.getByText("timeout. The next attempt is due in 30 s.").waitFor()
  await page.getByRole("radio", { name: "200" }).check()
  await page.getByRole("button", { name: "Next attempt" }).click()
  await page.getByText("Attempt 2, 1 min after the first: 200, success. The webhook is delivered.").waitFor()
})

test("the element is accessible, fits a phone, and calls no host", async () => {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"))
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { readonly axe: typeof import("axe-core") }
    const { violations } = await axe.run(document, { resultTypes: ["violations"] })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`)
  })
  expect(violations).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  const own = [base, ...scriptTags(body, base).map(({ attrs }) => attrs.href ?? attrs.src ?? "")]
  expect([...new Set(requested)].filter((path) => path !== "/favicon.ico").toSorted()).toEqual(own.toSorted())
})

test("the console of the world is in the page, moves its clock, and shows what the page does", async () => {
  await page.getByRole("button", { name: "Start again" }).click()
  await page.getByRole("radio", { name: "500" }).check()
  await page.getByText("The console of this world").click()
  const shown = page.frameLocator("iframe")
  await shown.getByText("No deliveries yet").waitFor()
  await page.getByRole("button", { name: "Add the recording" }).click()
  await shown.getByText("500, again in 1 m").waitFor()
  await shown.getByRole("button", { name: "Next event" }).click()
  await page.getByText("Attempt 2, 1 min after the first: 500, failure.").waitFor()
  await shown.getByText("500, again in 5 m").waitFor()
  await page.getByRole("button", { name: "Start again" }).click()
  await shown.getByText("No deliveries yet").waitFor()
})
