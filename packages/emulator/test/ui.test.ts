import { existsSync } from "node:fs"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type RunningEmulator, startEmulator } from "../src/index.ts"

const executablePath = "/usr/bin/chromium"
const recording = "00000000-0000-4000-8000-000000000001"
const hostileTitle = "<img src=x onerror=\"document.title = 'broken out'\">"

if (!existsSync(executablePath)) console.warn(`the page is not tested: there is no ${executablePath}`)

describe.skipIf(!existsSync(executablePath))("The page at /_emulator/ui", () => {
  let browser: Browser
  let page: Page
  let emulator: RunningEmulator
  const problems: Array<string> = []

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    })
    emulator = await startEmulator({
      fixtures: {
        users: [{ email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" }],
        recordings: [{ uuid: recording, title: hostileTitle }],
        folders: [{ id: "vip", name: "VIP" }],
        sinks: [{ id: "crm", respond: [{ status: 503, body: "busy" }, 200] }],
        automations: [{ id: "vip-alert", folder: "vip", url: "sink:crm", secret: "k" }]
      }
    })
  })
  afterAll(async () => {
    await emulator?.close()
    await browser?.close()
  })
  beforeEach(async () => {
    problems.length = 0
    await emulator.reset()
    await emulator.addToFolder("vip", recording)
    page = await browser.newPage()
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()))
    page.on("pageerror", (error) => problems.push(error.message))
    page.on("request", (request) => {
      if (!request.url().startsWith(emulator.url) && !request.url().startsWith("data:")) problems.push(request.url())
    })
    await page.goto(`${emulator.url}/_emulator/ui`)
    await page.getByText("attempt 1 of vip-alert").waitFor()
    return async () => {
      expect(problems).toEqual([])
      await page.close()
    }
  })

  const textOf = (selector: string) => page.locator(selector).textContent()

  test("shows what is pending, and moves the clock by its buttons", async () => {
    await page.getByRole("button", { name: "Step" }).click()
    await page.locator("#timeline").getByText("failure 503").waitFor()
    await page.getByRole("button", { name: "Next event" }).click()
    await page.locator("#timeline").getByText("success 200").waitFor()
    expect(await textOf("#now")).toBe("2026-01-01T00:01:00.000Z")
    await page.getByRole("button", { name: "+1 h" }).click()
    await page.getByText("now: 2026-01-01T01:01:00.000Z").waitFor()
    expect(await textOf("#pending-count")).toBe("· 0 pending")
  })

  test("shows each attempt's request and response, as text", async () => {
    await page.getByRole("button", { name: "Until idle" }).click()
    await page.locator("#deliveries summary", { hasText: "delivered" }).click()
    await page.locator("#deliveries summary", { hasText: "Attempt 1" }).click()
    const log = await textOf("#deliveries details details[open]")
    expect(log).toContain("POST https://sinks.tapedeck.test/crm")
    expect(log).toMatch(/x-tapedeck-signature: sha256=[0-9a-f]{64}/)
    expect(log).toContain("busy")
    expect(log).toContain(JSON.stringify(hostileTitle))
    expect(await page.title()).toBe("Tapedeck emulator")
  })

  test("lets wall time carry the clock, and stops it", async () => {
    await page.getByRole("button", { name: "Run" }).click()
    await page.getByText("running × 1").waitFor()
    expect((await emulator.clock.get()).mode).toBe("running")
    await page.getByRole("button", { name: "Stop" }).click()
    await page.locator("#mode", { hasText: "stopped" }).waitFor()
  })

  test("forks a world, goes there, adds fixtures to it, and deletes it", async () => {
    await page.getByRole("button", { name: "Fork" }).click()
    await page.getByText(/\/worlds\/w\d+\/api\/v2/).waitFor()
    await page.locator("#document").fill('{"folders": [{"id": "new", "name": "New"}]}')
    await page.getByRole("button", { name: "Add" }).click()
    await page.getByText("Made: 1 folders").waitFor()
    await page.getByRole("button", { name: "Delete" }).click()
    await page.getByText(`${emulator.url}/api/v2`, { exact: true }).waitFor()
    expect(await page.locator("#world option").allInnerTexts()).toEqual(["default"])
  })

  test("says what is wrong with fixtures, by its path", async () => {
    await page.locator("#document").fill('{"users": [{"email": "x"}]}')
    await page.getByRole("button", { name: "Add" }).click()
    await page.getByRole("alert").filter({ hasText: "users[0].email" }).waitFor()
    expect(await textOf("#error")).toContain("users[0].name: is required")
    // Chromium tells of the 400 on its console.
    problems.splice(0)
  })
})
