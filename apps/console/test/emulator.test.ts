import { expect, test } from "vitest"
import { openConsole, uuid } from "./support/open.ts"

test("the virtual clock is moved to the next event, until idle, and by a length of time", async () => {
  const console = await openConsole("/recordings")
  const clock = console.page.getByRole("region", { name: "Virtual clock" })
  const now = () => clock.locator("time").getAttribute("datetime")
  expect(await now()).toBe("2026-01-01T00:00:00.000Z")
  await console.addToFolder("bugs", uuid(1))
  await clock.getByRole("button", { name: "Next event" }).click()
  await clock.getByText("1 pending").waitFor()
  await clock.getByRole("button", { name: "Until idle" }).click()
  await clock.getByText("nothing pending").waitFor()
  expect(await now()).toBe("2026-01-01T00:01:00.000Z")
  for (const [by, time] of [
    ["PT12H", "2026-01-01T12:01:00.000Z"],
    ["2h", "2026-01-01T14:01:00.000Z"],
    ["90s", "2026-01-01T14:02:30.000Z"],
    [" 1h 30m ", "2026-01-01T15:32:30.000Z"],
    ["2 h 36 m", "2026-01-01T18:08:30.000Z"],
    ["500", "2026-01-01T18:08:30.500Z"]
  ] as const) {
    await clock.getByLabel("By").fill(by)
    await clock.getByRole("button", { name: "Advance" }).click()
    await clock.getByText(time).waitFor()
  }
})

test("a length of time that the clock cannot read is refused beside its field, by name", async () => {
  const console = await openConsole("/recordings")
  const clock = console.page.getByRole("region", { name: "Virtual clock" })
  const by = clock.getByLabel("By")
  for (const text of ["soon", "", "1 month"]) {
    await by.fill(text)
    await clock.getByRole("button", { name: "Advance" }).click()
    await clock.getByRole("alert").getByText("by: must be a duration such as 30s, 1h 30m or PT30S").waitFor()
    expect(await by.getAttribute("aria-invalid")).toBe("true")
    await by.press("End")
    await by.pressSequentially("x")
    await clock.getByRole("alert").waitFor({ state: "detached" })
  }
  expect(await clock.locator("time").getAttribute("datetime")).toBe("2026-01-01T00:00:00.000Z")
  expect(console.problems.splice(0).join()).toContain("400")
})

test("the reason of a delivery names the presses of Next event that it waits for, while the clock is stopped", async () => {
  const console = await openConsole("/deliveries")
  const { page } = console
  const { deliveries } = await console.addToFolder("bugs", uuid(1))
  await console.go(`/deliveries/${deliveries[0]}`)
  const why = page.getByRole("region", { name: "Why" })
  await why.getByText("Next event makes attempt 1.").waitFor()
  await console.button("Next event").click()
  await why.getByText("Next event makes attempt 2.").waitFor()
  // The instant is the reader's, and exact where it is copied from.
  await why.getByText(/^Attempt 1 failed.*is due at 12:01 AM/).waitFor()
  await why.locator('time[datetime="2026-01-01T00:01:00.000Z"]').waitFor()
  // Another delivery is due before.
  await console.addToFolder("bugs", uuid(2))
  await page.reload()
  await why.getByText("Next event, 2 times, makes attempt 2.").waitFor()
  await console.button("Run").click()
  await why.getByText("The clock of this world is stopped").waitFor({ state: "detached" })
  await console.button("Stop").click()
  await why.getByText("The clock of this world is stopped").waitFor()
  await console.button("Until idle").click()
  await why.getByText("The clock of this world is stopped").waitFor({ state: "detached" })
})

test("the journal leaves the console's requests out until they are asked for, and opens its rows with their bodies", async () => {
  const console = await openConsole("/world")
  const { page } = console
  const { base_url: base, tokens } = (await (await fetch(console.control)).json()) as {
    readonly base_url: string
    readonly tokens: Readonly<Record<string, string>>
  }
  await fetch(`${base}/api/v2/recordings/${uuid(1)}`, {
    method: "PATCH",
    headers: { "content-type": "application/json", authorization: `Bearer ${tokens["ada@acme.test"]}` },
    body: JSON.stringify({ recording: { title: "<b>Renamed</b>" } })
  })
  await console.addToFolder("bugs", uuid(1))
  await console.button("Next event").click()
  await console.seesNotice("1 event.")
  await page.getByRole("tab", { name: "Journal" }).click()
  const rows = page.getByRole("table", { name: "Journal" }).getByRole("row")
  await rows.getByText("PATCH").waitFor()
  expect(await rows.count()).toBe(5)
  const dialog = page.getByRole("dialog")
  await page.getByRole("button", { name: /^PATCH/ }).press("Enter")
  await dialog.getByRole("region", { name: "Request body" }).getByText("<b>Renamed</b>").waitFor()
  await dialog.getByRole("region", { name: "Response body" }).getByText('"title": "<b>Renamed</b>"').waitFor()
  await dialog.getByText("program", { exact: true }).waitFor()
  await page.keyboard.press("Escape")
  await rows.filter({ hasText: "attempt" }).click()
  await dialog.getByRole("region", { name: "Response", exact: true }).getByText("Response headers").waitFor()
  await dialog
    .getByRole("link", { name: /^[0-9a-f-]{36}$/ })
    .first()
    .waitFor()
  await page.keyboard.press("Escape")
  await page.getByLabel("Requests of the console").selectOption({ label: "With the console" })
  await rows
    .getByText(/^GET \/api\/settings\//)
    .first()
    .waitFor()
  expect(await rows.count()).toBeGreaterThan(5)
  await page.getByLabel("Requests of the console").selectOption({ label: "Without the console" })
  await expect.poll(() => rows.count()).toBe(5)
})

test("the console acts as the chosen user, and shows a member no more than a member may do", async () => {
  const console = await openConsole("/recordings")
  const names = () => console.page.getByRole("navigation", { name: "Main" }).getByRole("link").allInnerTexts()
  expect(await names()).toEqual([
    "Recordings",
    "Folders",
    "Automations",
    "Deliveries",
    "Security",
    "People",
    "Account",
    "Personal"
  ])
  await console.page.getByRole("combobox", { name: "Signed in as" }).selectOption("bob@acme.test")
  await console.page.getByText("1 recording", { exact: true }).waitFor()
  expect(await names()).toEqual(["Recordings", "Folders", "Personal"])
})

test("sinks are scripted by hand, and show what reached them", async () => {
  const console = await openConsole("/world")
  await console.page.getByRole("tab", { name: "Sinks" }).click()
  await console.page.getByLabel("Answers of crm").fill('{"status": 418, "body": "teapot"}')
  await console.button("Save the answers").click()
  await console.seesNotice("crm answers so from now on.")
  await console.addToFolder("bugs", uuid(1))
  await console.button("Next event").click()
  await console.button("1 request").click()
  await console.page.getByText(/answered \{"status":418/).waitFor()
})

test("mails stay in the world, and are shown with the link that turns them off", async () => {
  const console = await openConsole("/world")
  const world = (await (await fetch(console.control)).json()) as {
    readonly base_url: string
    readonly tokens: Readonly<Record<string, string>>
  }
  await fetch(`${world.base_url}/api/settings/recordings`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${world.tokens["bob@acme.test"]}` },
    body: JSON.stringify({ title: "<b>Hostile</b> title" })
  })
  await console.page.getByRole("tab", { name: "Mails" }).click()
  const mail = console.page.getByRole("article", { name: "New recording: <b>Hostile</b> title" })
  await mail.getByText("ada@acme.test").waitFor()
  await mail.getByText(/Turn off mail about all recordings: .*\/mail\/off\//).waitFor()
})

test("faults are added and removed", async () => {
  const console = await openConsole("/world")
  await console.page.getByRole("tab", { name: "Faults" }).click()
  await console.button("Add the fault").click()
  await console.page.getByRole("list", { name: "Faults" }).getByText("→ 503").waitFor()
  await console.button("Remove fault1").click()
  await console.page.getByText("No fault is waiting for a request.").waitFor()
})

test("a world is forked, and deleted", async () => {
  const console = await openConsole("/world")
  await console.page.getByRole("tab", { name: "Worlds" }).click()
  const before = console.page.url()
  await console.button("Fork this one").click()
  await console.page.waitForURL((url) => url.href !== before && url.pathname.endsWith("/recordings"))
  await console.page.getByRole("row", { name: /Checkout fails/ }).waitFor()
})

test("a world without users offers a small team", async () => {
  const console = await openConsole("/recordings", { fixtures: {}, heading: "This world is empty" })
  await console.button("Add a small team").click()
  await console.page.getByRole("row", { name: /Checkout fails in Safari/ }).waitFor()
})
