import { expect, test } from "vitest"
import { openBeside, openConsole, uuid } from "./support/open.ts"

test("a change on one page appears on another without a reload", async () => {
  const one = await openConsole(`/recordings/${uuid(1)}`)
  const other = await openBeside(one, "/recordings")
  await one.button("Edit the details").click()
  await one.page.getByRole("dialog").getByLabel("Title").fill("Checkout fails everywhere")
  await one.page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
  await other.page.getByRole("row", { name: /Checkout fails everywhere/ }).waitFor()
  await other.go("/deliveries")
  await one.page.getByLabel("Folder", { exact: true }).selectOption({ label: "Bugs" })
  await one.page.getByRole("button", { name: "Move", exact: true }).click()
  await other.page.getByRole("row", { name: /Scheduled/ }).waitFor()
  await other.page.getByRole("region", { name: "Virtual clock" }).getByText("1 pending").waitFor()
  await one.button("Next event").click()
  await other.page
    .getByRole("row", { name: /Waiting/ })
    .getByRole("link")
    .click()
  await one.button("Next event").click()
  await other.page.getByText("Delivered").first().waitFor()
})

test("a tab has one stream of changes, which another user ends", async () => {
  const console = await openConsole("/recordings")
  const { page } = console
  const streams: Array<string> = []
  const ended: Array<string> = []
  const isStream = (url: string) => url.endsWith("/api/settings/events")
  page.on("request", (request) => isStream(request.url()) && streams.push(request.headers().authorization ?? ""))
  page.on("requestfailed", (request) => isStream(request.url()) && ended.push(request.headers().authorization ?? ""))
  await page.reload()
  await page.getByRole("row", { name: /Checkout fails/ }).waitFor()
  for (const path of ["/folders", "/deliveries", "/recordings"]) await console.go(path)
  expect(streams).toHaveLength(1)
  ended.splice(0)
  await page.getByRole("combobox", { name: "Signed in as" }).selectOption("bob@acme.test")
  await page.getByText("1 recording", { exact: true }).waitFor()
  await expect.poll(() => streams.length).toBe(2)
  expect(ended).toEqual(streams.slice(0, 1))
})

test("a lost stream is shown, retried, and shown as restored", async () => {
  const console = await openConsole("/folders")
  const { page } = console
  await page.route("**/api/settings/events", (route) => route.abort("connectionrefused"))
  await page.reload()
  const connection = page.getByRole("status", { name: "Connection" })
  await connection.getByText("The service does not answer.").waitFor()
  await page.unroute("**/api/settings/events")
  await connection.getByText("You are online again.").waitFor()
  await console.call("/folders/bugs/recordings", { recording: uuid(1) })
  await page.getByText("1 recording", { exact: true }).waitFor()
  expect(console.problems.splice(0).join()).toContain("ERR_CONNECTION_REFUSED")
})

test("a refused stream is shown", async () => {
  const console = await openConsole("/folders")
  await console.page.route("**/api/settings/events", (route) =>
    route.fulfill({ status: 429, headers: { "retry-after": "5" }, json: { message: "You have 10 event streams open" } })
  )
  await console.page.reload()
  await console.page.getByText(/Changes are not shown as they happen/).waitFor()
  await console.page.unroute("**/api/settings/events")
  expect(console.problems.splice(0).join()).toContain("429")
})
