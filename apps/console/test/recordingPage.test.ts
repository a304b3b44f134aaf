import { expect, test } from "vitest"
import { violationsIn } from "./support/axe.ts"
import { changed } from "./support/changed.ts"
import { openConsole, team, uuid } from "./support/open.ts"

test("a recording's neighbours are those of the list with its filters, also when it has left the list", async () => {
  const third = { uuid: uuid(3), title: "Cart is empty", user: "bob@acme.test" }
  const console = await openConsole("/recordings", {
    fixtures: { ...team, recordings: [...team.recordings, third], automations: [] }
  })
  const { page } = console
  for (const one of [uuid(1), uuid(3)]) await console.addToFolder("vip", one)
  await page.getByLabel("Filter by folder").selectOption("VIP customers")
  await page.getByText("2 recordings", { exact: true }).waitFor()
  await console.link("Cart is empty").click()
  await page.getByRole("heading", { name: "Cart is empty" }).waitFor()
  expect(await console.button("Previous recording (Alt + ↑)").isDisabled()).toBe(true)
  await console.addToFolder("bugs", uuid(3))
  await expect.poll(() => page.getByLabel("Folder", { exact: true }).inputValue()).toBe("bugs")
  await page.keyboard.press("Alt+ArrowDown")
  await page.getByRole("heading", { name: "Checkout fails in Safari" }).waitFor()
  expect(await console.button("Next recording (Alt + ↓)").isDisabled()).toBe(true)
  await console.button("Previous recording (Alt + ↑)").click()
  await page.getByRole("heading", { name: "Cart is empty" }).waitFor()
  await console.link("Back").click()
  await page.getByText("1 recording", { exact: true }).waitFor()
  await console.open(`/recordings/${uuid(1)}`, "Checkout fails in Safari")
  await console.button("Next recording (Alt + ↓)").waitFor()
})

test("generated texts are marked, chapters seek, and texts are written again on request", async () => {
  const console = await openConsole("/recordings")
  const { page } = console
  const path = `/recordings/${uuid(1)}`
  const problem = "https://llm.acme.test/v1/chat/completions responded with 400"
  await changed(console, path, {
    summary_source: "generated",
    summary_blocked_by: null,
    media_work: [{ kind: "summarize", state: "given_up", problem }]
  })
  await console.go(path)
  await page.getByText("Generated", { exact: true }).waitFor()
  await page.getByText(`No title, summary and chapters could be written. ${problem}`).waitFor()
  await page.route(/\/summary\/request$/, (route) => route.fulfill({ json: {} }))
  await changed(console, path, { media_work: [{ kind: "summarize", state: "processing", problem: null }] })
  await console.button("Write again").click()
  await page.getByRole("status").getByText("Title, summary and chapters are being written.").waitFor()
  const media_work = [{ kind: "summarize", state: "processing", problem: null }]
  await changed(console, path, { summary_source: "generated", summary_blocked_by: null, media_work })
  await console.open(path)
  await page.getByText("Title, summary and chapters could not be written yet.").waitFor()
  await console.button("Write again").waitFor()
  expect(await violationsIn(page)).toEqual([])
  const chapters = [
    { start_seconds: 0, title: "Export" },
    { start_seconds: 12, title: "Invoice" }
  ]
  await changed(console, `/recordings/${uuid(2)}`, { title_source: "generated", chapters })
  await console.open(`/recordings/${uuid(2)}`)
  await page.getByText("Generated", { exact: true }).waitFor()
  await page
    .getByRole("navigation", { name: "Chapters" })
    .getByRole("button", { name: /Invoice/ })
    .click()
  await expect.poll(() => new URL(page.url()).searchParams.get("t")).toBe("12")
  expect(await violationsIn(page)).toEqual([])
})

test("a recording has a mark in the lists of a user until that user opens it", async () => {
  const console = await openConsole("/recordings")
  const { page } = console
  const row = page.getByRole("row", { name: /How to export invoices/ })
  const marks = page.getByRole("img", { name: "Not opened yet" })
  await row.getByRole("img", { name: "Not opened yet" }).waitFor()
  expect(await marks.count()).toBe(2)
  expect(await violationsIn(page)).toEqual([])
  await console.link("How to export invoices").click()
  await page.getByRole("heading", { name: "How to export invoices" }).waitFor()
  const isSeen = async () => (await console.read<{ is_seen: boolean }>(`/recordings/${uuid(2)}`)).is_seen
  await expect.poll(isSeen).toBe(true)
  await console.link("Back").click()
  await row.waitFor()
  await expect.poll(() => marks.count()).toBe(1)
  expect(await row.getByRole("img", { name: "Not opened yet" }).count()).toBe(0)
})
