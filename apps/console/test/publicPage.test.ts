import { expect, test } from "vitest"
import { openConsole, uuid } from "./support/open.ts"

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
