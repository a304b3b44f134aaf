import { auditEventTypes } from "@tapedeck/domain/audit"
import { expect, test } from "vitest"
import { type Console, openConsole, removeRoutes, team, uuid } from "./support/open.ts"

const inBugs = {
  ...team,
  recordings: team.recordings.map((one, index) => (index === 0 ? { ...one, folder: "bugs" } : one))
}

/** Holds back the answers of lists until `release` is called. */
const holdLists = async ({ page }: Console) => {
  const gate = Promise.withResolvers<void>()
  const isList = (url: URL) => /\/api\/settings\/(folders|users|automations|audit-destinations)$/.test(url.pathname)
  await page.route(isList, async (route) => {
    await gate.promise
    await route.continue()
  })
  return gate.resolve
}

/** The text of the option that a select shows. */
const shown = ({ page }: Console, name: string) =>
  page
    .getByLabel(name, { exact: true })
    .evaluate((select: HTMLSelectElement) => [select.value, select.selectedOptions[0]?.textContent])

test("each choice shows its value although the options arrive after it", async () => {
  const console = await openConsole("/personal", { fixtures: inBugs })
  for (const [path, name, value, text] of [
    [`/recordings/${uuid(1)}`, "Folder", "bugs", "Bugs"],
    ["/recordings?folder=bugs", "Filter by folder", "bugs", "Bugs"],
    ["/recordings?owner=2", "Owner", "2", "Bob Noyce"],
    ["/deliveries?automation=bugs-to-crm", "Receiver", "a:bugs-to-crm", /^Bugs → /],
    ["/deliveries?destination=siem", "Receiver", "d:siem", "SIEM"],
    ["/security?user=2", "Who", "2", "Bob Noyce"]
  ] as const) {
    const release = await holdLists(console)
    // Loaded, so that no option is known.
    await console.page.goto(`${console.control}/ui${path}`)
    await console.page.getByLabel(name, { exact: true }).waitFor()
    expect((await shown(console, name))[0], path).toBe(value)
    release()
    await expect
      .poll(() => shown(console, name), { message: path })
      .toEqual([value, typeof text === "string" ? text : expect.stringMatching(text)])
    await removeRoutes(console.page)
  }
})

test("a recording whose folder is not in the list shows the folder's id, and is taken out of it", async () => {
  const console = await openConsole("/personal", { fixtures: inBugs })
  const isList = (url: URL) => url.pathname.endsWith("/api/settings/folders")
  await console.page.route(isList, (route) => route.fulfill({ status: 500, json: { error: "refused" } }))
  await console.page.goto(`${console.control}/ui/recordings/${uuid(1)}`)
  const folder = console.page.getByLabel("Folder", { exact: true })
  await folder.waitFor()
  expect(await shown(console, "Folder")).toEqual(["bugs", "bugs"])
  await folder.selectOption("")
  await console.button("Move").click()
  await console.seesNotice("Moved.")
  expect(await console.read(`/recordings/${uuid(1)}`)).toMatchObject({ folder_id: null })
  expect(console.problems.splice(0).join()).toContain("500")
  await console.page.unroute(isList)
})

test("a value of the address that a filter does not have filters nothing, and is not shown", async () => {
  const console = await openConsole("/recordings?type=Film&platform=pigeon&sort=size")
  await console.page.getByText("2 recordings", { exact: true }).waitFor()
  expect(await shown(console, "Type")).toEqual(["", "All types"])
  expect(await shown(console, "Order")).toEqual(["-created_at", "Newest first"])
})

test.each([
  ["/security", "Event type"],
  ["/deliveries", "Event"]
])("%s offers every event type of the audit log", async (path, name) => {
  const { page } = await openConsole(path)
  const options = await page.getByLabel(name, { exact: true }).locator("option").allInnerTexts()
  expect(options.slice(1)).toEqual(auditEventTypes)
})

test("a destination can be limited to any event type of the audit log", async () => {
  const { page } = await openConsole("/security/destinations/new")
  const types = page.getByRole("group", { name: "Event types" })
  expect(await types.getByRole("checkbox").count()).toBe(auditEventTypes.length)
})

test.each([
  ["/recordings", "2 recordings"],
  ["/deliveries", "1 delivery"],
  ["/security", "1 entry"]
])("%s is limited to today and to 7 days by one press, and no longer by the next", async (path, all) => {
  const console = await openConsole(path)
  const { page } = console
  await console.addToFolder("bugs", uuid(1))
  await console.call("/account", { name: "Acme GmbH" }, "PATCH")
  await page.reload()
  await page.getByText(all, { exact: true }).waitFor()
  const more = async () => path === "/recordings" && (await console.button("More filters").click())
  await more()
  for (const [name, day] of [
    ["Today", "2026-01-01"],
    ["7 days", "2025-12-26"]
  ] as const) {
    await console.button(name).click()
    await page.waitForURL((url) => url.searchParams.get("since")?.replaceAll('"', "") === day)
    expect(await console.button(name).getAttribute("aria-pressed")).toBe("true")
    await page.getByText(all, { exact: true }).waitFor()
  }
  await console.button("7 days").click()
  await page.waitForURL((url) => !url.searchParams.has("since"))
  // A week later, today has none of them.
  await console.advance({ by: "P7D" })
  await page.reload()
  await page.getByText(all, { exact: true }).waitFor()
  await more()
  await console.button("7 days").click()
  await page.getByText(all, { exact: true }).waitFor({ state: "detached" })
})

test("dates are in the form of the reader's language", async () => {
  const console = await openConsole("/people")
  const { page } = console
  const session = await page.context().newCDPSession(page)
  const since = page.getByRole("row", { name: /Ada Lovelace/ }).locator("time")
  for (const [locale, full, time] of [
    ["en-US", /^Jan 1, 2026/, /AM|PM/],
    ["en-GB", /^1 Jan 2026/, /^[^AP]*$/],
    ["de-DE", /^01\.01\.2026/, /^[^AP]*$/]
  ] as const) {
    await session.send("Emulation.setLocaleOverride", { locale })
    await console.open("/people")
    expect(await since.getAttribute("title")).toMatch(full)
    expect(await since.textContent()).toMatch(time)
  }
  await session.send("Emulation.setLocaleOverride", {})
  await session.detach()
})
