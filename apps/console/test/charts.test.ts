import { expect, test } from "vitest"
import { violationsIn } from "./support/axe.ts"
import { openConsole, team, uuid } from "./support/open.ts"

const fixtures = { ...team, sinks: [{ id: "crm", respond: [500, 500, 200] }] }

test("charts show attempts by outcome and their durations, and the same as tables", async () => {
  const console = await openConsole("/deliveries", { fixtures })
  const { page } = console
  await console.addToFolder("bugs", uuid(1))
  await console.advance({ until: "idle" })
  await page.getByRole("row", { name: /Delivered/ }).waitFor()
  await console.button("Charts").click()
  const charts = page.getByRole("region", { name: "Charts" })
  await charts.getByRole("img", { name: /^Attempts by outcome: Delivered 1, Failed, to be retried 2/ }).waitFor()
  await charts.getByRole("img", { name: /^Duration of attempts/ }).waitFor()
  const receivers = charts.getByRole("table", { name: "Attempts by receiver" })
  expect(await receivers.getByRole("row", { name: /Bugs/ }).getByRole("cell").allInnerTexts()).toEqual(
    expect.arrayContaining(["1", "2", "0"])
  )
  await charts.getByText("Show the charts as a table").click()
  await charts.getByRole("table", { name: "Attempts by interval" }).waitFor()
  await charts.getByLabel("Period").selectOption("Last 30 days")
  await charts.getByRole("img", { name: /Delivered 1/ }).waitFor()
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await violationsIn(page, { within: "section[aria-label=Charts]" })).toEqual([])
  }
})

test("the automations' list says since when one fails, and how often in a row", async () => {
  const console = await openConsole("/automations", { fixtures })
  const { page } = console
  await console.addToFolder("bugs", uuid(1))
  await console.advance({ by: "PT2M" })
  await page.getByText("2 failed in a row").waitFor()
  await console.button("Until idle").click()
  await page.getByText("2 failed in a row").waitFor({ state: "detached" })
  await page.getByRole("link", { name: /^Log: the last delivery is delivered; last success/ }).waitFor()
})
