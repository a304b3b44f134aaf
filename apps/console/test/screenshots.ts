/**
 * `pnpm -F @tapedeck/console screenshots [DIRECTORY]`: a picture of every screen, light and dark, from the emulator's demo with a
 * delivery of each state. Default: `screenshots/`.
 */
import { spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import { resolve } from "node:path"
import { chromiumPath } from "@tapedeck/tsconfig/chromium.ts"
import { chromium } from "playwright-core"

const directory = resolve(process.argv[2] ?? "screenshots")
mkdirSync(directory, { recursive: true })

const emulator = spawn(
  process.execPath,
  ["--conditions=source", "../../packages/emulator/src/main.ts", "--demo", "--port", "0", "--json"],
  { cwd: new URL("..", import.meta.url), stdio: ["ignore", "pipe", "ignore"] }
)
const line = await new Promise<string>((done) => emulator.stdout.once("data", (data: Buffer) => done(data.toString())))
const control = `${(JSON.parse(line) as { readonly base_url: string }).base_url}/_emulator`

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`

const call = async (
  method: string,
  path: string,
  body: unknown
): Promise<{ readonly deliveries?: ReadonlyArray<string> }> => {
  const response = await fetch(`${control}${path}`, {
    method,
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" }
  })
  return response.json() as Promise<{ readonly deliveries?: ReadonlyArray<string> }>
}

const addTo = (folder: string, recording: number) =>
  call("POST", `/folders/${folder}/recordings`, { recording: uuid(recording) })

// One that is delivered at the second attempt, one that fails for good, one that waits, and one that is scheduled.
await addTo("bugs", 1)
await call("POST", "/clock/advance", { until: "idle" })
await call("PUT", "/sinks/crm", { respond: [{ status: 503, body: '{"error":"busy"}' }] })
await addTo("bugs", 2)
await call("POST", "/clock/advance", { until: "idle" })
const { deliveries: [waiting] = [] } = await addTo("bugs", 3)
await call("POST", "/clock/advance", { by: "PT10M" })
await addTo("vip", 11)

// Entries of the audit log: a folder that is renamed, and back.
for (const name of ["Defects", "Bugs"]) {
  await fetch(`${control.replace("/_emulator", "/api/settings")}/folders/bugs`, {
    method: "PATCH",
    body: JSON.stringify({ name }),
    headers: { "content-type": "application/json", authorization: "Bearer demo-admin-token" }
  })
}

const screens = {
  recordings: "/recordings",
  recording: `/recordings/${uuid(1)}`,
  folders: "/folders",
  automations: "/automations",
  automation: "/automations/vip-alert",
  "new-automation": "/automations/new",
  deliveries: "/deliveries",
  delivery: `/deliveries/${waiting}`,
  security: "/security",
  destinations: "/security/destinations",
  destination: "/security/destinations/siem",
  people: "/people",
  account: "/account",
  personal: "/personal",
  world: "/world"
} as const

const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] })
const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" })
/** All is there: the stream of changes stays open, so that the network is never idle. */
const loaded = async () => {
  await page.getByRole("heading", { level: 1 }).waitFor()
  await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" })
  await page.waitForFunction(() => [...document.images].every(({ complete }) => complete))
  await page.evaluate(() => document.fonts.ready)
}
for (const [name, path] of Object.entries(screens)) {
  await page.goto(`${control}/ui${path}`)
  await loaded()
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    // Colours change in transitions, however short.
    await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))
    await page.screenshot({ path: `${directory}/${name}-${colorScheme}.png` })
  }
}
// A request of the log, below its video.
await page.setViewportSize({ width: 1280, height: 1_500 })
await page.goto(`${control}/ui${screens.recording}`)
await loaded()
await page.getByRole("listbox", { name: "Events" }).getByText("502").click()
await page.getByRole("region", { name: "Event" }).waitFor()
await page.screenshot({ path: `${directory}/recording-log.png` })
await page.setViewportSize({ width: 360, height: 740 })
for (const name of ["recordings", "delivery", "automation"] as const) {
  await page.goto(`${control}/ui${screens[name]}`)
  await loaded()
  await page.screenshot({ path: `${directory}/${name}-narrow.png` })
}
await browser.close()
emulator.kill()
