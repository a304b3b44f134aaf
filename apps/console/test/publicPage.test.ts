import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { readFence } from "@tapedeck/tsconfig/fences.ts"
import type { Page } from "playwright-core"
import { expect, onTestFinished, test } from "vitest"
import { openConsole, openOwnTab, openTab, team, uuid } from "./support/open.ts"

test("the video of the public page begins at the moment in its address, and the address of a moment is copied there and in the console", async () => {
  const console = await openConsole(`/recordings/${uuid(2)}`)
  const { page } = console
  const address = console.control.replace("/_emulator", `/r/${uuid(2)}`)
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  await page.locator("video").evaluate((video: HTMLVideoElement) => {
    Object.defineProperty(video, "currentTime", { value: 83.7 })
    video.dispatchEvent(new Event("timeupdate", { bubbles: true }))
  })
  await console.button("Copy link at 1:23").click()
  await console.seesNotice("The link is copied.")
  expect(await copied()).toMatch(new RegExp(`/r/${uuid(2)}\\?t=83$`))

  const beginsAt = () => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime)
  for (const [moment, seconds] of [
    ["?t=83", 83],
    ["?t=2.5", 2.5],
    ["?t=1m23s", 83],
    ["?t=1h", 3_600],
    ["?t=1:02:03", 3_723],
    ["?t=soon", 0],
    ["?t=-5", 0],
    ["?t=83#t=7", 7]
  ] as const) {
    await page.goto(`${address}${moment}`)
    expect(await beginsAt(), moment).toBe(seconds)
  }
  await page.evaluate(() => {
    location.hash = "t=1:23"
  })
  await console.button("Copy link at 1:23").click()
  await page.getByText("The link is copied.").waitFor()
  expect(await copied()).toBe(`${address}?t=83`)

  // Without a clipboard the address is shown.
  await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }))
  await console.button("Copy link at 1:23").click()
  await page.getByText(`${address}?t=83`).waitFor()
})

/** The page of docs/embedding.md, with another address of the recording. */
const documentedPage = (address: string): string => {
  const snippet = readFence("docs/embedding.md", "html")
  return `<!doctype html><body><script>
    window.messages = []
    addEventListener("message", ({ data, origin }) => messages.push({ ...data, origin }))
  </script>${snippet.replace(/https:\/\/rec\.acme\.example\/r\/[^/]+/, address)}</body>`
}

const servedPage = async (html: string): Promise<number> => {
  const server = createServer((_, response) => response.setHeader("content-type", "text/html").end(html))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Silence of this length, as a file that a video element plays. */
const silence = (seconds: number): string => {
  const rate = 8_000
  const header = Buffer.alloc(44)
  header.write("RIFF")
  header.writeUInt32LE(36 + rate * seconds, 4)
  header.write("WAVEfmt ", 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write("data", 36)
  header.writeUInt32LE(rate * seconds, 40)
  return Buffer.concat([header, Buffer.alloc(rate * seconds, 128)]).toString("base64")
}

interface Message {
  readonly tapedeck: string
  readonly seconds: number
  readonly paused: boolean
  readonly duration: number | null
}

const messagesIn = (page: Page) =>
  page.evaluate(() => (window as unknown as { readonly messages: ReadonlyArray<Message> }).messages)

const isTold = (page: Page, condition: string) => page.waitForFunction(`messages.some((message) => ${condition})`)

test("the documented page plays an embedded recording from a moment, and no other page commands or shows it (T6)", async () => {
  const [first, ...others] = team.recordings
  const video = { original: { base64: silence(100), content_type: "video/mp4" } }
  const console = await openConsole("/account", { fixtures: { ...team, recordings: [{ ...first, video }, ...others] } })
  const address = console.control.replace("/_emulator", `/r/${uuid(1)}`)
  const port = await servedPage(documentedPage(address))
  const origins = console.page.getByLabel("Sites that may embed recordings")
  const card = console.page.getByRole("region", { name: "Embedding" })
  await origins.fill("http://help.acme.test")
  await card.getByRole("button", { name: "Save" }).click()
  await card.getByRole("alert").getByText("embed_origins[0] must be an origin").waitFor()
  expect(console.problems.splice(0).join()).toContain("422")
  await origins.fill(`http://127.0.0.1:${port}/\nhttps://help.acme.test`)
  await card.getByRole("button", { name: "Save" }).click()
  await console.seesNotice("Saved.")
  expect(await origins.inputValue()).toBe(`http://127.0.0.1:${port}\nhttps://help.acme.test`)

  const page = await openTab()
  await page.goto(`http://127.0.0.1:${port}/`)
  await isTold(page, 'message.tapedeck === "ready"')
  await isTold(page, "message.duration === 100 && message.seconds === 12")
  await page.getByRole("button", { name: "Play from 1:23" }).click()
  await isTold(page, "message.seconds >= 83 && !message.paused")
  await page.getByText(/^8[3-9] s$/).waitFor()
  const frame = page.frameLocator("iframe")
  const embedded = frame.locator("video")
  const paused = () => embedded.evaluate((video: HTMLVideoElement) => video.paused)
  await embedded.press("k")
  expect(await paused()).toBe(true)
  await frame.getByRole("button", { name: /Nothing happens/ }).click()
  expect(await paused()).toBe(false)
  await page.evaluate(() => frames[0]!.postMessage({ tapedeck: "pause" }, "*"))
  await isTold(page, "message.seconds < 20 && message.paused && messages.indexOf(message) > 5")

  const before = await embedded.evaluate((video: HTMLVideoElement) => video.currentTime)
  const refused = [
    null,
    "play",
    { tapedeck: "seek" },
    { tapedeck: "constructor" },
    { tapedeck: ["play"] },
    { seconds: 5 }
  ]
  const seeks = [-1, Number.NaN, Number.POSITIVE_INFINITY, "50", [50], { valueOf: "50" }]
  await page.evaluate(
    ([refused, seeks]) => {
      for (const message of refused) frames[0]!.postMessage(message, "*")
      for (const seconds of seeks) frames[0]!.postMessage({ tapedeck: "seek", seconds }, "*")
      const sibling = document.body.appendChild(document.createElement("iframe"))
      sibling.contentDocument!.body.innerHTML = ""
      const script = sibling.contentDocument!.createElement("script")
      script.textContent = 'parent.frames[0].postMessage({ tapedeck: "seek", seconds: 50 }, "*")'
      sibling.contentDocument!.body.append(script)
      frames[0]!.postMessage({ tapedeck: "seek", seconds: 99.5 }, "*")
      frames[0]!.postMessage({ tapedeck: "play" }, "*")
    },
    [refused, seeks] as const
  )
  await isTold(page, 'message.tapedeck === "ended"')
  const jumps = (await messagesIn(page)).map(({ seconds }) => seconds).filter((seconds) => seconds > 20 && seconds < 83)
  expect([jumps, before < 20]).toEqual([[], true])

  const elsewhere = await openOwnTab()
  const refusal = elsewhere.waitForEvent("requestfailed", { predicate: (request) => request.url().startsWith(address) })
  await elsewhere.goto(`http://localhost:${port}/`)
  expect((await refusal).failure()?.errorText).toBe("net::ERR_BLOCKED_BY_RESPONSE")
  expect(await elsewhere.frameLocator("iframe").locator("video").count()).toBe(0)
  expect(await messagesIn(elsewhere)).toEqual([])
})
