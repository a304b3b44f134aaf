import { randomBytes } from "node:crypto"
import type { Random } from "../../determinism/Random.ts"
import type { Events } from "../Events.ts"
import type { Browser } from "./Browser.ts"
import { beginsWith, Customer, type Spooled } from "./Customer.ts"
import type { Service } from "./Service.ts"

/** One recording by a link, from its begin until it is sent or abandoned. */
export interface Run {
  readonly title: string
  readonly random: Random
  readonly events: Events
  readonly browser: Browser
  readonly service: Service
}

/** What a disturbed recording has lost. */
export interface Loss {
  readonly faults: ReadonlyArray<string>
  /** Recorded time that was not in the spool when its browser was killed, in milliseconds. */
  readonly lostMs?: number
}

/** Maximum of recorded time that a killed browser loses. */
const maxLostMs = 2_000

/** A little of a customer's recording, up to a moment that the seed chooses. */
const recording = async ({ browser, events, random, service, title }: Run) => {
  const link = await service.link(title)
  const customer = await Customer.open(await browser.tab(), link.address)
  await customer.record()
  await customer.hasChunk()
  await events.after(random.integer(1, 6), () => {})
  return { link, customer }
}

const sentAll = async ({ service, title }: Run, { bytes }: Spooled): Promise<Loss> => {
  const video = await service.video(title)
  return beginsWith(video, bytes)
    ? { faults: [] }
    : { faults: [`the spool had ${bytes.length} bytes, and not all of them are in the ${video.length} of the server`] }
}

const stopAndSend = async (run: Run, customer: Customer): Promise<Loss> => {
  await customer.press("Stop")
  await customer.page.getByLabel("Your recording").waitFor()
  const spooled = await customer.spooled()
  await customer.send()
  return sentAll(run, spooled)
}

const closeTab = async (customer: Customer) => {
  const devTools = await customer.devTools()
  const crashed = customer.page.waitForEvent("crash")
  devTools.send("Page.crash").catch(() => {})
  await crashed
  await customer.page.close()
}

const killedTab = async (run: Run): Promise<Loss> => {
  const { customer, link } = await recording(run)
  const spooled = await customer.spooled()
  await closeTab(customer)
  const again = await Customer.open(await run.browser.tab(), link.address)
  await again.sendUnfinished()
  return sentAll(run, spooled)
}

const killedBrowser = async (run: Run): Promise<Loss> => {
  const { customer, link } = await recording(run)
  const spooled = await customer.spooled()
  await run.browser.kill()
  const again = await Customer.open(await run.browser.tab(), link.address)
  await again.sees("A recording was not sent yet")
  const { durationMs } = await again.spooled()
  await again.sendUnfinished()
  const lostMs = Math.max(0, (spooled.recordedMs ?? 0) - durationMs)
  const { faults } = await sentAll(run, spooled)
  if (lostMs <= maxLostMs) return { faults, lostMs }
  return { faults: [...faults, `the killed browser lost ${Math.round(lostMs)} ms`], lostMs }
}

const killedServer = async (run: Run): Promise<Loss> => {
  const { customer } = await recording(run)
  await run.service.kill()
  await customer.page.getByText(/^No connection: /).waitFor()
  await run.service.restart()
  if (run.random.chance(0.5)) await run.events.after(run.random.integer(1, 4), () => {})
  return stopAndSend(run, customer)
}

const killedServerAndTab = async (run: Run): Promise<Loss> => {
  const { customer, link } = await recording(run)
  const spooled = await customer.spooled()
  await run.service.kill()
  await closeTab(customer)
  await run.service.restart()
  const again = await Customer.open(await run.browser.tab(), link.address)
  await again.sendUnfinished()
  return sentAll(run, spooled)
}

const cutNetwork = async (run: Run): Promise<Loss> => {
  const { customer } = await recording(run)
  run.service.disconnect()
  await customer.page.getByText(/^No connection: /).waitFor()
  await run.service.reconnect()
  return stopAndSend(run, customer)
}

const cutWhileSending = async (run: Run): Promise<Loss> => {
  const { customer } = await recording(run)
  run.service.disconnect()
  await customer.press("Stop")
  await customer.page.getByLabel("Your recording").waitFor()
  const spooled = await customer.spooled()
  await customer.press("Send")
  await run.service.reconnect()
  await customer.sees("Thank you. Your recording was sent.")
  return sentAll(run, spooled)
}

const revokedLink = async (run: Run): Promise<Loss> => {
  const { customer, link } = await recording(run)
  await run.service.call("DELETE", `/api/settings/capture-links/${link.id}`)
  return stopAndSend(run, customer)
}

/** Chromium heeds no smaller quota than its own, so that the page's own writes are refused as a full disk refuses them. */
const fullBrowser = async (run: Run): Promise<Loss> => {
  const { customer } = await recording(run)
  await customer.refuseWrites(true)
  await customer.page.getByText(/^This browser has no room left/).waitFor()
  const spooled = await customer.spooled()
  await customer.refuseWrites(false)
  await customer.send()
  return sentAll(run, spooled)
}

const webmHeader = Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex")

/** Uploads videos until none finds room. */
const fill = async ({ service }: Run) => {
  const made = await service.call("POST", "/api/settings/recordings", { json: { title: "filler" } })
  const { uuid } = made.as<{ readonly uuid: string }>()
  for (let sizeBytes = 4_000_000; sizeBytes >= 10_000; ) {
    const body = Buffer.concat([webmHeader, randomBytes(sizeBytes)])
    const another = await service.call("POST", "/api/settings/recordings", { json: { title: "filler" } })
    const target = another.status === 201 ? another.as<{ readonly uuid: string }>().uuid : uuid
    const answer = await service.call("PUT", `/api/settings/recordings/${target}/video`, { body })
    if (answer.status !== 200) sizeBytes /= 2
  }
}

const fullDisk = async (run: Run): Promise<Loss> => {
  const { disk } = run.service
  const { customer } = await recording(run)
  await fill(run)
  await customer.page.getByText(/^No connection: /).waitFor()
  const spooled = await customer.spooled()
  await disk?.free()
  if (disk?.needsRestart === true) {
    await run.service.kill()
    await run.service.restart()
  }
  const loss = await stopAndSend(run, customer)
  return loss.faults.length > 0 ? loss : sentAll(run, spooled)
}

const awayMs = 11 * 60_000

const stayedAway = async (run: Run): Promise<Loss> => {
  const { service, title } = run
  const { customer, link } = await recording(run)
  const { bytes, token, upload } = await customer.spooled()
  await customer.page.goto("about:blank")
  if (upload === null || token === null) return { faults: ["the first chunk was spooled, and no upload was begun"] }
  const acknowledged = await service.offsetOf(upload, token)
  await service.kill()
  await service.restart(awayMs)
  const video = await service.video(title)
  const faults: Array<string> = []
  if (video.length < acknowledged) faults.push(`${acknowledged} bytes were acknowledged, ${video.length} are there`)
  const shorter = Math.min(video.length, bytes.length)
  if (!beginsWith(video, bytes.subarray(0, shorter))) faults.push("the server's bytes differ from the spool's")
  // Too late to send: what the browser kept can be saved as a file.
  const late = await Customer.open(await run.browser.tab(), link.address)
  await late.sees("A recording was not sent yet")
  const kept = await late.spooled()
  await late.press("Look at it")
  await late.page.getByRole("link", { name: "Save as a file" }).waitFor()
  if (!beginsWith(kept.bytes, bytes)) faults.push("the spool lost bytes")
  return { faults }
}

export interface Disturbance {
  readonly run: (run: Run) => Promise<Loss>
  /** It needs a server of its own, with a disk of this size where one is given. */
  readonly own?: { readonly diskBytes?: number }
}

export const disturbances: Readonly<Record<string, Disturbance>> = {
  "killed tab": { run: killedTab },
  "killed browser": { run: killedBrowser },
  "killed server": { run: killedServer },
  "killed server and tab": { run: killedServerAndTab },
  "cut network": { run: cutNetwork },
  "network cut while sending": { run: cutWhileSending },
  "revoked link": { run: revokedLink },
  "full browser": { run: fullBrowser },
  "full disk": { run: fullDisk, own: { diskBytes: 16 * 1024 * 1024 } },
  "customer who stays away": { run: stayedAway, own: {} }
}
