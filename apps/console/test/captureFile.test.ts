import { expect, test } from "vitest"
import { violationsIn } from "./support/axe.ts"
import { madeLink } from "./support/captureLink.ts"
import { openOwnTab, webm } from "./support/open.ts"
import { heading, openLink, press, record, spooledBytes } from "./support/recorder.ts"

test("A browser that cannot record its screen sends a video file instead", async () => {
  const { address, received, videoOf } = await madeLink({ title: "Film it", sources: { screen: "optional" } })
  const page = await openOwnTab()
  await page.setViewportSize({ width: 360, height: 640 })
  await page.addInitScript(() => {
    Reflect.deleteProperty(MediaDevices.prototype, "getDisplayMedia")
  })
  await page.goto(address)
  await page.getByText(/^This browser cannot record its screen\./).waitFor()
  expect(await violationsIn(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  const begun: Array<string> = []
  page.on("request", (request) => request.method() === "POST" && begun.push(request.url()))
  const choose = async (name: string, mimeType: string, buffer: Buffer) => {
    await page.getByLabel("Video file").setInputFiles({ name, mimeType, buffer })
    await press(page, "Use this file")
  }
  for (const [name, buffer] of [
    ["notes.mp4", Buffer.from("not a video".repeat(1_000))],
    ["empty.webm", Buffer.alloc(0)],
    ["photo.mov", Buffer.from("ffd8ffe000104a46494600010101", "hex")]
  ] as const) {
    await choose(name, "video/mp4", buffer)
    await page.getByRole("alert").getByText(`${name} is not a video`).waitFor()
    await heading(page, "Ada Lovelace of Acme asks you for a recording").waitFor()
  }
  expect([begun, await spooledBytes(page).catch(() => 0)]).toEqual([[], 0])
  const file = webm(5_000_000)
  // The file's content counts, not its name.
  await choose("screen.txt", "text/plain", file)
  await heading(page, "Look at it before you send it").waitFor()
  await press(page, "Send")
  await heading(page, "Thank you. Your recording was sent.").waitFor()
  const [recording] = await received()
  expect(Buffer.from(await videoOf(recording!.uuid)).equals(file)).toBe(true)
})

test("A customer is asked for an e-mail address only where the link names none", async () => {
  for (const customer of [null, { email: "kim@customer.test" }]) {
    const { address, received, settings } = await madeLink(customer === null ? {} : { customer })
    const page = await openLink(address)
    await record(page, 1)
    await press(page, "Stop")
    await heading(page, "Look at it before you send it").waitFor()
    const email = page.getByLabel("Your e-mail address")
    expect(await email.count()).toBe(customer === null ? 1 : 0)
    if (customer === null) await email.fill("mallory@customer.test")
    await press(page, "Send")
    await heading(page, "Thank you. Your recording was sent.").waitFor()
    const [recording] = await received()
    expect(await settings("GET", `/recordings/${recording!.uuid}`)).toMatchObject({
      customer: customer ?? { email: "mallory@customer.test" }
    })
  }
})
