import { expect, test } from "vitest"
import { violationsIn } from "./support/axe.ts"
import { madeLink } from "./support/captureLink.ts"
import { hurry, openConsole } from "./support/open.ts"
import { heading, openLink, press, record } from "./support/recorder.ts"

test("An agent records from the console; the recording is theirs, and of type Sent", async () => {
  const console = await openConsole("/recordings")
  const opening = console.page.waitForEvent("popup")
  await console.button("Record").click()
  const page = await opening
  // No script runs before the page's in a window that a page of its own origin opens.
  await page.evaluate(hurry)
  await heading(page, "Record your screen").waitFor()
  expect(await violationsIn(page)).toEqual([])
  await record(page, 1)
  await press(page, "Stop")
  await page.getByText("The link to the recording is copied.").waitFor()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(link).toMatch(/\/r\/[0-9a-f-]{36}$/)
  // A browser that refuses the clipboard leaves the link to be copied.
  await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }))
  await press(page, "Copy link")
  await page.getByText("The link to the recording plays once you have sent").waitFor()
  await page.getByText(link, { exact: true }).waitFor()
  expect(await page.getByRole("link", { name: "Open" }).getAttribute("href")).toBe(link)
  expect(await violationsIn(page)).toEqual([])
  await page.getByLabel("Customer’s e-mail address").fill("kim@customer.test")
  await page.getByLabel("Title").fill("How to pay")
  await page.getByLabel("Ticket").fill("https://acme.atlassian.net/browse/SUP-128")
  expect(await page.getByLabel("Helpdesk").inputValue()).toBe("jira")
  await page.getByLabel("Folder").selectOption({ index: 1 })
  const folder = await page.getByLabel("Folder").inputValue()
  expect(await page.getByLabel("Your e-mail address").count()).toBe(0)
  await press(page, "Send")
  await heading(page, "Thank you. Your recording was sent.").waitFor()
  expect(await page.getByRole("link", { name: "Open" }).getAttribute("href")).toBe(link)
  await page.getByRole("link", { name: "Continue" }).click()
  await page.getByRole("link", { name: "How to pay" }).waitFor()
  await page.close()
  const { records } = await console.read<{
    readonly records: ReadonlyArray<{ readonly title: string; readonly user: unknown; readonly metadata: unknown }>
  }>("/recordings?search=pay&type=Sent")
  expect(records).toMatchObject([
    {
      title: "How to pay",
      user: { email: "ada@acme.test" },
      customer: { email: "kim@customer.test" },
      folder_id: folder,
      metadata: { helpdesk_info: { issue_id: "SUP-128" } }
    }
  ])
})

test("The recorder says so when no console has opened it, and offers nothing", async () => {
  const { address } = await madeLink({})
  const page = await openLink(address.replace(/\/c\/.*$/, "/c/agent"))
  await page.getByText("The console does not answer. Open the recorder there, with Record.").waitFor()
  expect(await page.getByRole("button").count()).toBe(0)
})
