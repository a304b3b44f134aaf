import { expect, test } from "vitest"
import { openConsole, team, uuid } from "./support/open.ts"

const hostile = "<img src=x onerror=\"document.title='broken out'\">\u202e{{event}}"

test("each empty screen says what it is for", async () => {
  const console = await openConsole("/personal", { fixtures: { users: team.users } })
  for (const [path, title] of [
    ["/recordings", "No recordings yet"],
    ["/folders", "No folders yet"],
    ["/automations", "No automations yet"],
    ["/deliveries", "No deliveries yet"],
    ["/security", "Nothing has happened yet"],
    ["/security/destinations", "No destinations yet"]
  ] as const) {
    await console.go(path)
    await console.page.getByRole("heading", { name: title }).waitFor()
  }
})

test("a list and a choice that are cut say so, and complete ones do not", async () => {
  const many = (length: number) => {
    const folders = Array.from({ length }, (_, n) => ({ id: `f${n}`, name: `Folder ${n}` }))
    const destinations = folders.map(({ id, name }) => ({ id, name, url: "sink:crm" }))
    return { ...team, folders, automations: [], audit_destinations: destinations }
  }
  const seenWith = async (count: number) => {
    const console = await openConsole("/security/destinations", { fixtures: many(count) })
    const { page } = console
    await page.getByRole("row", { name: "Folder 0" }).waitFor()
    const isCut = await page.getByText("1,000 are shown at most. The API lists all of them.").isVisible()
    await console.link("Recordings").click()
    const folders = page.getByLabel("Filter by folder")
    await folders.getByText("Folder 0", { exact: true }).waitFor({ state: "attached" })
    return { isCut, last: await folders.locator("option").last().textContent() }
  }
  expect(await seenWith(1_000)).toEqual({ isCut: true, last: "1,000 folders are listed at most" })
  expect(await seenWith(999)).toEqual({ isCut: false, last: "Folder 998" })
})

test("a page of many folders counts the recordings of those that are seen", async () => {
  const folders = Array.from({ length: 200 }, (_, n) => ({ id: `f${n}`, name: `Folder ${n}` }))
  const { page } = await openConsole("/", { fixtures: { ...team, folders, automations: [] } })
  const counted = new Set<string>()
  page.on("request", (request) => {
    const id = /folders\/(f\d+)\/recordings/.exec(request.url())?.[1]
    if (id !== undefined) counted.add(id)
  })
  await page.getByRole("link", { name: "Folders", exact: true }).click()
  await page.getByText("0 recordings").first().waitFor()
  expect(counted.size).toBeLessThan(100)
  await page.getByRole("link", { name: "Folder 199", exact: true }).scrollIntoViewIfNeeded()
  await page.waitForFunction(() => document.querySelector("li:last-child p")?.textContent === "0 recordings")
  expect(counted).toContain("f199")
})

test("a screen that cannot be loaded shows the reason, and loads on a retry", async () => {
  const console = await openConsole("/folders")
  const { page } = console
  const failure = { match: { path: "/api/settings/account" }, respond: [500, 500] }
  await console.call("/faults", failure)
  await console.link("Account").click()
  await page.getByText("This could not be loaded").waitFor()
  await fetch(`${console.control}/faults`, { method: "DELETE" })
  await console.button("Try again").click()
  await page.getByLabel("Account name").waitFor()
  expect(console.problems.splice(0).join()).toContain("500")
})

test("a screen whose code does not arrive is loaded anew once, then says so, and loads on a retry", async () => {
  const console = await openConsole("/folders")
  const { page } = console
  let isCut = true
  let refused = 0
  await page.route(/AccountPage-/, (route) => {
    if (!isCut) return route.continue()
    refused++
    return route.abort("connectionreset")
  })
  await console.link("Account").click()
  await page.getByRole("heading", { name: "Page not loaded" }).waitFor()
  await page.getByText("A part of the console could not be loaded").waitFor()
  expect(refused).toBeGreaterThan(1)
  isCut = false
  await console.button("Try again").click()
  await page.getByLabel("Account name").waitFor()
  expect(console.problems.splice(0).join()).toContain("ERR_CONNECTION_RESET")
})

test("a screen that is first opened offline says so in the console, and comes once the browser is online", async () => {
  const console = await openConsole("/folders")
  const { page } = console
  await page.getByRole("link", { name: "Bugs", exact: true }).waitFor()
  await page.context().setOffline(true)
  await console.link("Account").click()
  await page.getByText("This screen is loaded as soon as you are back.").waitFor()
  await page
    .getByRole("status", { name: "Connection" })
    .getByText(/You are offline/)
    .waitFor()
  await page.context().setOffline(false)
  await page.getByLabel("Account name").waitFor()
  expect(console.problems.splice(0).join()).toContain("ERR_INTERNET_DISCONNECTED")
})

/** Each screen, and the call whose answer it shows. */
const screens: ReadonlyArray<readonly [path: string, call: string]> = [
  ["/automations", "/automations"],
  ["/automations/bugs-to-crm", "/automations/bugs-to-crm"],
  ["/people", "/users"],
  ["/account", "/account"],
  ["/personal", "/tokens"],
  ["/recordings", "/recordings"],
  [`/recordings/${uuid(1)}`, `/recordings/${uuid(1)}`],
  ["/security", "/audit-entries"],
  ["/security/destinations", "/audit-destinations"],
  ["/security/destinations/siem", "/audit-destinations/siem"],
  ["/deliveries", "/deliveries"],
  ["delivery", "delivery"],
  ["/folders", "/folders"]
]

test("every screen says that it is loading, that it failed, and that the caller may not see it; then that it is offline", async () => {
  const console = await openConsole("/world")
  const { page } = console
  const { deliveries } = await console.addToFolder("bugs", uuid(1))
  // A stream that begins now does not have that change: none is read again because of it.
  await console.open("/world")
  const here = (path: string) => (path === "delivery" ? `/deliveries/${deliveries[0]}` : path)
  for (const [path, call] of screens) {
    const answers = [500, 403]
    const gate = Promise.withResolvers<void>()
    const isCall = (url: URL) => url.pathname.endsWith(`/api/settings${here(call)}`)
    await page.route(isCall, async (route) => {
      await gate.promise
      const status = answers.shift()
      return status === undefined ? route.continue() : route.fulfill({ status, json: { error: `Refused: ${status}` } })
    })
    // Other screens have read them for names and choices.
    if (path === "/folders" || path === "/security/destinations") await console.open("/world")
    await console.start(here(path))
    await page.getByRole("status", { name: "Loading" }).first().waitFor()
    gate.resolve()
    const problem = page.getByRole("alert").filter({ hasText: "Refused" })
    await problem.getByText("This could not be loaded").waitFor()
    await problem.getByRole("button", { name: "Try again" }).click()
    await problem.getByText("You may not see this").waitFor()
    await problem.getByRole("button", { name: "Try again" }).click()
    await problem.waitFor({ state: "detached" })
    await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" })
    await page.unroute(isCall)
  }
  expect(console.problems.splice(0)).toHaveLength(2 * screens.length)
  await page.context().setOffline(true)
  for (const [path] of screens) {
    await console.start(here(path))
    await page
      .getByRole("status", { name: "Connection" })
      .getByText(/You are offline/)
      .waitFor()
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1)
  }
  console.problems.splice(0)
})

test("an unknown page or record is shown as such, with a link onwards", async () => {
  const console = await openConsole(`/recordings/${uuid(9)}`)
  await console.page.getByText("There is nothing here").waitFor()
  await console.page.goto(`${console.control}/ui/nowhere`)
  await console.page.getByRole("heading", { name: "No such page" }).waitFor()
  expect(console.problems.splice(0).join()).toContain("404")
})

test("the console shows that it is offline, and reloads when it is online again", async () => {
  const console = await openConsole("/folders")
  const { page } = console
  await page.context().setOffline(true)
  await page.getByText(/You are offline/).waitFor()
  await console.addToFolder("bugs", uuid(1))
  await page.context().setOffline(false)
  await page.getByText(/You are online again/).waitFor()
  await page.getByText("1 recording", { exact: true }).waitFor()
  console.problems.splice(0)
})

test("hostile titles, names, headers and bodies are shown as text", async () => {
  const console = await openConsole("/recordings", {
    fixtures: {
      ...team,
      account: { name: hostile },
      recordings: [{ uuid: uuid(1), title: hostile, summary: hostile, user: "bob@acme.test" }],
      folders: [{ id: "bugs", name: hostile }],
      sinks: [{ id: "crm", respond: [{ status: 500, headers: { "x-a": "<b>" }, body: `<script>${hostile}</script>` }] }]
    }
  })
  const { page } = console
  await page.getByRole("link", { name: hostile }).waitFor()
  await console.addToFolder("bugs", uuid(1))
  await console.button("Next event").click()
  await console.link("Deliveries").click()
  await page
    .getByRole("row", { name: /Waiting/ })
    .getByRole("link")
    .click()
  await page.getByText("<script>").waitFor()
  expect(await page.title()).toMatch(/^Delivery /)
  expect(await page.locator("img[src=x]").count()).toBe(0)
})

test("a body of a megabyte in one line is cut, and shown in full on request", async () => {
  const console = await openConsole("/automations/bugs-to-crm", {
    fixtures: { ...team, sinks: [{ id: "crm", respond: [{ status: 500, body: "x".repeat(1_000_000) }] }] }
  })
  await console.button("Send test").click()
  await console.button(/^Show all/).click()
  expect(await console.page.getByRole("region", { name: "Response body" }).textContent()).toHaveLength(65_536)
})
