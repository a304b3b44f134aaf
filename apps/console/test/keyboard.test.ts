import type { ElementHandle, Locator, Page } from "playwright-core"
import { expect, test } from "vitest"
import { type Console, openConsole, team, uuid, webm } from "./support/open.ts"

/** As many stops as any screen has. */
const maxStops = 80

/** Whether the element with the focus, also inside of the editor's shadow root, is seen to have it, and whether it is `target`. */
const stopAt = (page: Page, target: ElementHandle<Node>) =>
  page.evaluate((wanted) => {
    const outer = document.activeElement
    const inner = outer?.shadowRoot?.activeElement ?? outer
    const isOutlined = (element: Element | null | undefined) => {
      if (element === null || element === undefined) return false
      const { outlineStyle, outlineWidth } = getComputedStyle(element)
      return outlineStyle !== "none" && outlineWidth !== "0px"
    }
    // Behind the last stop, the focus is on the browser itself.
    const isSeen = inner === document.body || isOutlined(inner) || isOutlined(inner?.closest("label, .cm-editor"))
    return {
      focus: isSeen ? "seen" : inner?.outerHTML.slice(0, 200),
      isTarget: wanted === outer || wanted === inner,
      isTargetGone: !wanted.isConnected
    }
  }, target)

const resolved = async (target: Locator): Promise<ElementHandle<Node>> => (await target.elementHandle())!

/** Presses Tab until `target` has the focus; each stop on the way has to be seen. */
const tabTo = async ({ page }: Console, target: Locator): Promise<void> => {
  await target.waitFor()
  let element = await resolved(target)
  for (let stops = 0; stops < maxStops; stops += 1) {
    await page.keyboard.press("Tab")
    let stop = await stopAt(page, element)
    if (stop.isTargetGone) {
      element = await resolved(target)
      stop = await stopAt(page, element)
    }
    // The editor is outlined a moment later.
    if (stop.focus !== "seen") await expect.poll(async () => (await stopAt(page, element)).focus).toBe("seen")
    if (stop.isTarget) return
  }
  throw new Error(`${maxStops} stops lead not to ${target}`)
}

const press = async (console: Console, target: Locator, key = "Enter"): Promise<void> => {
  await tabTo(console, target)
  await console.page.keyboard.press(key)
}

const type = async (console: Console, target: Locator, text: string): Promise<void> => {
  await tabTo(console, target)
  await console.page.keyboard.press("Control+A")
  await console.page.keyboard.type(text)
}

const hasFocus = (target: Locator) =>
  expect.poll(() => target.evaluate((element) => element === document.activeElement)).toBe(true)

test("a recording is edited, filed and delivered by keyboard alone", async () => {
  const console = await openConsole("/recordings", {
    fixtures: { ...team, sinks: [{ id: "crm", respond: [500, 200] }] }
  })
  const { page } = console
  await press(console, page.getByRole("link", { name: "Checkout fails in Safari" }))
  await page.getByRole("heading", { name: "Checkout fails in Safari" }).waitFor()
  const edit = console.button("Edit the details")
  await press(console, edit)
  const dialog = page.getByRole("dialog", { name: "Edit the details" })
  await type(console, dialog.getByLabel("Title"), "Checkout fails")
  await press(console, dialog.getByRole("button", { name: "Save" }))
  await page.getByRole("heading", { name: "Checkout fails", exact: true }).waitFor()
  await hasFocus(edit)
  await page.keyboard.press("Shift+Tab")
  const folder = page.getByLabel("Folder", { exact: true })
  await tabTo(console, folder)
  await page.keyboard.type("Bugs")
  await press(console, console.button("Move"))
  await console.seesNotice("Moved.")
  await page.getByText("Scheduled: 1").waitFor()
  await hasFocus(folder)
  await press(console, console.link("Deliveries"))
  await press(console, page.getByRole("row", { name: /Scheduled/ }).getByRole("link"))
  await page.getByRole("heading", { name: /^Delivery / }).waitFor()
  await press(console, console.button("Until idle"))
  await page.getByText("Delivered").first().waitFor()
  await press(console, console.button("Deliver again"))
  await page.getByText("Scheduled").first().waitFor()
})

test("a folder, an automation and a token are made by keyboard alone", async () => {
  const console = await openConsole("/folders")
  const { page } = console
  const add = console.button("New folder")
  await press(console, add)
  await type(console, page.getByLabel("Name"), "Refunds")
  await page.keyboard.press("Enter")
  await page.getByRole("link", { name: "Refunds" }).waitFor()
  await hasFocus(add)
  await press(console, console.button("Delete Refunds"))
  await page.getByRole("alertdialog").waitFor()
  await page.keyboard.press("Escape")
  await hasFocus(console.button("Delete Refunds"))
  await press(console, console.link("Automations"))
  await press(console, console.button("New automation"))
  await type(console, page.getByLabel("URL"), "https://sinks.tapedeck.test/crm")
  await type(console, page.getByLabel("Payload"), '{"text": "{{recording.title')
  await page.keyboard.type('}}"}')
  await page.keyboard.press("Escape")
  await press(console, console.button("Save"))
  await page.getByRole("heading", { name: /^Automation of/ }).waitFor()
  await press(console, console.button("Send test"))
  await page.getByRole("region", { name: "Result of the test" }).getByText("Request").first().waitFor()
  await press(console, console.link("Personal"))
  await press(console, console.button("New token"))
  await type(console, page.getByLabel("Name", { exact: true }), "CI")
  await page.keyboard.press("Enter")
  await page.getByText(/^tdk_\w+$/).waitFor()
  await press(console, console.button("Done"))
  await hasFocus(console.button("New token"))
})

test("the player's keys work from the page, and not in fields, lists, menus and dialogs beside it", async () => {
  const console = await openConsole(`/recordings/${uuid(1)}`, {
    fixtures: {
      ...team,
      recordings: [
        {
          ...team.recordings[0],
          video: { original: { base64: webm(64).toString("base64"), content_type: "video/webm" } }
        }
      ]
    }
  })
  const { page } = console
  const isMuted = () => page.locator("video").evaluate((video: HTMLVideoElement) => video.muted)
  const speed = page.getByLabel("Speed")
  await page.getByRole("region", { name: "Player" }).waitFor()
  const copy = console.button("Copy link")
  for (const anywhere of [copy, page.getByRole("tabpanel"), page.getByRole("heading", { level: 1 })]) {
    const before = await isMuted()
    await anywhere.focus()
    await page.keyboard.press("m")
    expect(await isMuted()).toBe(!before)
  }
  await page.keyboard.press("?")
  await page.getByRole("dialog", { name: "Keys" }).getByText("Captions on or off").waitFor()
  await page.keyboard.press("m")
  expect(await isMuted()).toBe(true)
  await page.keyboard.press("Escape")
  const isCaptioned = () => page.locator("video").evaluate((video: HTMLVideoElement) => video.textTracks[0]?.mode)
  await page.keyboard.press("c")
  expect(await isCaptioned()).toBe("showing")
  await page.keyboard.press(">")
  expect(await speed.inputValue()).toBe("1.25")
  for (const own of [
    speed,
    page.getByLabel("Folder", { exact: true }),
    page.getByLabel("Search in the transcript"),
    page.getByRole("list", { name: "Segments" }),
    page.getByRole("tab", { name: "Details" })
  ]) {
    await own.focus()
    await page.keyboard.press("m")
    expect(await isMuted()).toBe(true)
  }
  await console.button("Edit the details").click()
  await page.getByRole("dialog").getByLabel("Title").press("m")
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).press("m")
  expect(await isMuted()).toBe(true)
  await page.keyboard.press("Escape")
  await page.getByRole("slider", { name: "Position" }).or(page.locator("video")).first().focus()
  await page.keyboard.press("m")
  expect(await isMuted()).toBe(false)
})
