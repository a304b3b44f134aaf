import { randomBytes } from "node:crypto"
import type { Random } from "../../determinism/Random.ts"
import type { Events } from "../Events.ts"
import type { Browser } from "./Browser.ts"
import { beginsWith, Customer, type Spooled, thanks } from "./Customer.ts"
import { framesOf, lostMsOf } from "./frames.ts"
import type { Link, Service, ServiceOptions } from "./Service.ts"

/** One recording by a link, from its begin until it is sent or abandoned. */
export interface Run {
  readonly title: string
  /** In milliseconds since 1970. */
  readonly startedAt: number
  readonly random: Random
  readonly events: Events
  readonly browser: Browser
  readonly service: Service
}

/** What a disturbed recording has lost. */
export interface Loss {
  readonly faults: ReadonlyArray<string>
  /** Recorded time before the tab or the browser was killed that is not in the video, in milliseconds. */
  readonly lostMs?: number
}

/** Maximum time between a drawn frame and the nearest one of the video, in milliseconds. */
const maxGapMs = 1_000

/** Frames that the page draws while the recorder fills a chunk. */
const framesOfChunk = 10

const open = async ({ browser, startedAt }: Run, address: string) =>
  Customer.open(await browser.tab(), address, startedAt)

/** A little of a customer's recording, up to a moment that the seed chooses. */
const recording = async (run: Run) => {
  const link = await run.service.link(run.title)
  const customer = await open(run, link.address)
  await customer.record()
  await customer.hasChunk()
  await run.events.after(run.random.integer(1, 6), () => {})
  // Most events follow a chunk: the next frames are in none yet.
  await customer.draws(run.random.integer(0, framesOfChunk))
  return { link, customer }
}

/** Compares the server's video with what the spool had, byte by byte and frame by frame, and with what the page drew. */
const judged = async (
  { service, title }: Run,
  { bytes, drawn }: Spooled
): Promise<Loss & { readonly last: number }> => {
  const video = await service.video(title)
  const frames = await framesOf(video)
  const last = Math.max(0, ...frames)
  const faults: Array<string> = []
  if (!beginsWith(video, bytes)) {
    faults.push(`the spool had ${bytes.length} bytes, and not all of them are in the ${video.length} of the server`)
  }
  const missing = (await framesOf(bytes)).filter((frame) => !frames.includes(frame))
  if (missing.length > 0) faults.push(`${missing.length} frames of the spool are not in the video`)
  const gapMs = lostMsOf(
    drawn.filter((number) => number <= last),
    frames
  )
  if (gapMs >= maxGapMs) faults.push(`the video lacks ${gapMs} ms before its end`)
  return { faults, last }
}

/** The same where the recorder was stopped: the video has the end, too. */
const sentAll = async (run: Run, spooled: Spooled): Promise<Loss> => {
  const { faults, last } = await judged(run, spooled)
  const end = spooled.drawn.at(-1) ?? 0
  return end - last < maxGapMs ? { faults } : { faults: [...faults, `the video lacks the last ${end - last} ms`] }
}

/** The same where the recorder was killed at `killedAt`. */
const sentUpTo = async (run: Run, spooled: Spooled, killedAt: number): Promise<Loss> => {
  const { faults, last } = await judged(run, spooled)
  return { faults, lostMs: Math.max(0, killedAt - run.startedAt - last) }
}

const stop = async (customer: Customer): Promise<Spooled> => {
  await customer.press("Stop")
  await customer.looks()
  return customer.spooled()
}

const stopAndSend = async (run: Run, customer: Customer): Promise<Loss> => {
  const spooled = await stop(customer)
  await customer.send()
  return sentAll(run, spooled)
}

/** Crashes the tab's process; returns when, in milliseconds since 1970. */
const killTab = async (customer: Customer): Promise<number> => {
  const devTools = await customer.devTools()
  const crashed = customer.page.waitForEvent("crash")
  const killedAt = Date.now()
  devTools.send("Page.crash").catch(() => {})
  await crashed
  await customer.page.close()
  return killedAt
}

const crashAndSend = async (run: Run, customer: Customer, { address }: Link): Promise<Loss> => {
  const spooled = await customer.spooled()
  const killedAt = await killTab(customer)
  await (await open(run, address)).sendUnfinished()
  return sentUpTo(run, spooled, killedAt)
}

const killedTab = async (run: Run): Promise<Loss> => {
  const { customer, link } = await recording(run)
  return crashAndSend(run, customer, link)
}

/** A tab that is killed before its first second leaves the link as it was. */
const killedAtStart = async (run: Run): Promise<Loss> => {
  const link = await run.service.link(run.title)
  const customer = await open(run, link.address)
  await customer.press("Continue")
  await customer.page.getByRole("button", { name: "Start recording" }).waitFor()
  await customer.holdRecorder()
  await customer.press("Start recording")
  await customer.hasBegun()
  await killTab(customer)
  const again = await open(run, link.address)
  await again.record()
  await again.hasChunk()
  return stopAndSend(run, again)
}

/** A second run of the recorder follows a crash; the server joins both. */
const recordedMore = async (run: Run): Promise<Loss> => {
  const { customer, link } = await recording(run)
  const first = await customer.spooled()
  await killTab(customer)
  const again = await open(run, link.address)
  await again.findsUnfinished()
  await again.press("Record more")
  await again.record()
  await again.draws(run.random.integer(1, 3) * framesOfChunk)
  const { drawn } = await stop(again)
  await again.send()
  const frames = await framesOf(await run.service.video(run.title, /^video\/mp4/))
  const gaps = { first: lostMsOf(await framesOf(first.bytes), frames), second: lostMsOf(drawn, frames) }
  const lost = Object.entries(gaps).filter(([, gapMs]) => gapMs >= maxGapMs)
  return { faults: lost.map(([name, gapMs]) => `the video lacks ${gapMs} ms of the ${name} run of the recorder`) }
}

const killedBrowser = async (run: Run): Promise<Loss> => {
  const { customer, link } = await recording(run)
  const spooled = await customer.spooled()
  const killedAt = Date.now()
  await run.browser.kill()
  await (await open(run, link.address)).sendUnfinished()
  return sentUpTo(run, spooled, killedAt)
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
  const killedAt = await killTab(customer)
  await run.service.restart()
  await (await open(run, link.address)).sendUnfinished()
  return sentUpTo(run, spooled, killedAt)
}

/** Sends, up to a moment that the seed chooses, or to the thanks. */
const sending = async (run: Run) => {
  const { customer, link } = await recording(run)
  const spooled = await stop(customer)
  const disturbed = run.events.after(run.random.integer(1, 6), () => {})
  await customer.press("Send")
  await Promise.race([disturbed, customer.sees(thanks).catch(() => {})])
  return { customer, link, spooled }
}

const tabKilledWhileSending = async (run: Run): Promise<Loss> => {
  const { customer, link, spooled } = await sending(run)
  await killTab(customer)
  const again = await open(run, link.address)
  await again.sees(/^(A recording was not sent yet|This link cannot be used)$/)
  if (await again.page.getByText("A recording was not sent yet").isVisible()) await again.sendUnfinished()
  else await again.page.getByText("The link was used up, or is too old. Ask for a new one.").waitFor()
  return sentAll(run, spooled)
}

const serverKilledWhileSending = async (run: Run): Promise<Loss> => {
  const { customer, spooled } = await sending(run)
  await run.service.kill()
  await run.service.restart()
  await customer.sees(thanks)
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
  const spooled = await stop(customer)
  await customer.press("Send")
  await run.service.reconnect()
  await customer.sees(thanks)
  return sentAll(run, spooled)
}

/** An open capture goes on, also after a crash; the link takes no other one. */
const revokedLink = async (run: Run): Promise<Loss> => {
  const { customer, link } = await recording(run)
  await run.service.call("DELETE", `/api/settings/capture-links/${link.id}`)
  const loss = run.random.chance(0.5) ? await stopAndSend(run, customer) : await crashAndSend(run, customer, link)
  await (await open(run, link.address)).page
    .getByText("The link is not known, or was withdrawn. Ask for a new one.")
    .waitFor()
  return loss
}

/** The link in a second tab does not touch what the first one records. */
const secondTab = async (run: Run): Promise<Loss> => {
  const { customer, link } = await recording(run)
  const second = await open(run, link.address)
  await second.sees("This recording is open in another tab")
  await second.page.close()
  await customer.page.bringToFront()
  await customer.draws(framesOfChunk)
  return run.random.chance(0.5) ? stopAndSend(run, customer) : crashAndSend(run, customer, link)
}

/** Chromium heeds no smaller quota than its own, so that the page's own writes are refused as it refuses them. */
const fullBrowser = async (run: Run): Promise<Loss> => {
  const { customer, link } = await recording(run)
  await customer.refuseWrites()
  await customer.page.getByText(/^This browser has no room left/).waitFor()
  const spooled = await customer.spooled()
  if (run.random.chance(0.5)) await customer.send()
  else {
    await killTab(customer)
    const again = await open(run, link.address)
    await again.refuseWrites()
    await again.sendUnfinished()
  }
  // What came after the last write is lost, as the page says.
  return judged(run, spooled)
}

/** A disk without any space: the browser closes its database, which opens again once there is room. */
const fullBrowserDisk = async (run: Run): Promise<Loss> => {
  const { disk } = run.browser
  if (disk === undefined || disk.needsRestart) return fullBrowser(run)
  const { customer, link } = await recording(run)
  const spooled = await customer.spooled()
  await disk.fill()
  await customer.page.getByText(/^This browser has no room left/).waitFor()
  if (run.random.chance(0.5)) {
    await customer.press("Send")
    await disk.free()
    await customer.sees(thanks)
  } else {
    await run.browser.kill()
    await disk.free()
    await (await open(run, link.address)).sendUnfinished()
  }
  return judged(run, spooled)
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
  return loss.faults.length > 0 ? loss : judged(run, spooled)
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
  const late = await open(run, link.address)
  await late.sees("A recording was not sent yet")
  const kept = await late.spooled()
  await late.press("Look at it")
  await late.page.getByRole("link", { name: "Save as a file" }).waitFor()
  if (!beginsWith(kept.bytes, bytes)) faults.push("the spool lost bytes")
  return { faults }
}

export interface Disturbance {
  readonly run: (run: Run) => Promise<Loss>
  /** The size of the browser's disk, where it needs one of its own. */
  readonly browserDiskBytes?: number
  /** It needs a server of its own. */
  readonly own?: Omit<ServiceOptions, "events">
}

export const disturbances: Readonly<Record<string, Disturbance>> = {
  "killed tab": { run: killedTab },
  "killed browser": { run: killedBrowser },
  "killed server": { run: killedServer },
  "killed server and tab": { run: killedServerAndTab },
  "tab killed while sending": { run: tabKilledWhileSending },
  "server killed while sending": { run: serverKilledWhileSending },
  "cut network": { run: cutNetwork },
  "network cut while sending": { run: cutWhileSending },
  "revoked link": { run: revokedLink },
  "second tab": { run: secondTab },
  "recorded more": { run: recordedMore, own: { hasFfmpeg: true } },
  "tab killed at the start": { run: killedAtStart },
  "full browser": { run: fullBrowser },
  "full disk of the browser": { run: fullBrowserDisk, browserDiskBytes: 32 * 1024 * 1024 },
  "full disk": { run: fullDisk, own: { diskBytes: 16 * 1024 * 1024 } },
  "customer who stays away": { run: stayedAway, own: {} }
}
