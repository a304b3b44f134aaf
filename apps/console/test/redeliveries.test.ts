import { expect, test } from "vitest"
import { openConsole, team, uuid } from "./support/open.ts"

const recordings = [1, 2, 3].map((n) => ({ uuid: uuid(n), title: `Recording ${n}`, user: "ada@acme.test" }))

/** Three deliveries that failed permanently. */
const openFailed = async () => {
  const console = await openConsole("/deliveries", {
    fixtures: { ...team, recordings, sinks: [{ id: "crm", respond: [500] }] }
  })
  for (const { uuid } of recordings) await console.addToFolder("bugs", uuid)
  await console.advance({ until: "idle" })
  await console.call("/sinks/crm", { respond: [200] }, "PUT")
  await console.page
    .getByRole("row", { name: /Permanently failed/ })
    .nth(2)
    .waitFor()
  return console
}

test("deliveries are delivered again by a filter: counted, with limit and rate, with progress, and stopped", async () => {
  const console = await openFailed()
  const { page } = console
  await page.getByLabel("State").selectOption("Permanently failed")
  await page.getByLabel("Event").selectOption("recording.added_to_folder")
  await console.button("Deliver again by filter").click()
  const dialog = page.getByRole("dialog")
  await dialog.getByText("3 deliveries match.").waitFor()
  await dialog.getByText("Permanently failed, of event recording.added_to_folder").waitFor()
  await dialog.getByLabel("A second").fill("101")
  await dialog.getByText("A number from 1 to 100").waitFor()
  expect(await dialog.getByRole("button", { name: /Start/ }).isDisabled()).toBe(true)
  await dialog.getByLabel("A second").fill("1")
  await dialog.getByLabel("At most").fill("2")
  await dialog.getByText("2 deliveries in about 2 s.").waitFor()
  await dialog.getByRole("button", { name: "Start with 2 deliveries" }).click()
  await console.seesNotice("The redelivery is started.")
  const progress = page.getByRole("region", { name: "Redeliveries" })
  await progress.getByText("Delivering again: 0 of 2").waitFor()
  await console.button("Next event").click()
  await progress.getByText("Delivering again: 1 of 2").waitFor()
  // It is the service's: a reload finds it again.
  await page.reload()
  await progress.getByText("Delivering again: 1 of 2").waitFor()
  await progress.getByRole("button", { name: "Stop" }).click()
  await progress.getByRole("button", { name: "Show 1 past redelivery" }).click()
  await progress.getByText("Stopped").waitFor()
  await progress.getByText("1 delivery delivered again").waitFor()
  await console.button("Until idle").click()
  await page.getByLabel("State").selectOption("Delivered")
  await page.getByRole("row", { name: /Delivered/ }).waitFor()
  expect(await page.getByRole("row", { name: /Delivered/ }).count()).toBe(1)
})

test("a redelivery offers no delivered ones unasked, and says how many it passes over, and why", async () => {
  const console = await openFailed()
  const { page } = console
  await console.go("/automations/bugs-to-crm")
  await console.button("Send test").click()
  await page.getByRole("region", { name: "Result of the test" }).waitFor()
  await console.go("/deliveries")
  await console.button("Deliver again by filter").click()
  const dialog = page.getByRole("dialog")
  await dialog.getByText("3 deliveries match.").waitFor()
  await dialog.getByRole("button", { name: "Start with 3 deliveries" }).waitFor()
  await dialog.getByLabel("Which").selectOption("In any state, delivered ones too")
  await dialog.getByText("4 deliveries match.").waitFor()
  await dialog.getByText("1 passed over: 1 send-test.").waitFor()
  await dialog.getByRole("button", { name: "Start with 3 deliveries" }).waitFor()
})

test("a waiting delivery is cancelled after a confirmation", async () => {
  const console = await openConsole("/deliveries", {
    fixtures: { ...team, sinks: [{ id: "crm", respond: [500] }] }
  })
  const { page } = console
  await console.addToFolder("bugs", uuid(1))
  await console.advance({ by: 0 })
  await page
    .getByRole("row", { name: /Waiting/ })
    .getByRole("link")
    .click()
  await console.button("Cancel delivery").click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel the delivery" }).click()
  await console.seesNotice("The delivery is cancelled.")
  await page.getByRole("region", { name: "Why" }).getByText("Ada Lovelace").waitFor()
  expect(await console.button("Cancel delivery").count()).toBe(0)
})
