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
  await clock.getByLabel("By").fill("PT12H")
  await clock.getByRole("button", { name: "Advance" }).click()
  await clock.getByText("2026-01-01T12:01:00.000Z").waitFor()
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
