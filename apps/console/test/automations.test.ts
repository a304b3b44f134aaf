import { expect, test } from "vitest"
import { openConsole, team, uuid, writePayload } from "./support/open.ts"

test("a folder is made, renamed and deleted", async () => {
  const console = await openConsole("/folders")
  const { page } = console
  await console.button("New folder").click()
  await page.getByLabel("Name").fill("Refunds")
  await console.button("Create").click()
  await console.button("Edit Refunds").click()
  await page.getByLabel("Name").fill("Payments")
  await console.button("Save").click()
  await page.getByRole("link", { name: "Payments" }).waitFor()
  await console.button("Delete Payments").click()
  await console.button("Delete the folder").click()
  await console.seesNotice("The folder is deleted.")
  expect(await page.getByRole("list", { name: "Folders" }).getByRole("listitem").count()).toBe(2)
})

test("an automation is made with a payload of its own, and a test shows the request and the answer", async () => {
  const console = await openConsole("/automations")
  const { page } = console
  await console.call("/sinks/crm", { respond: [{ status: 202, body: "taken" }] }, "PUT")
  await console.button("New automation").click()
  await page.getByLabel("Folder").selectOption({ label: "VIP customers" })
  await page.getByLabel("URL").fill("https://sinks.tapedeck.test/crm")
  await page.getByLabel("Method").selectOption("PUT")
  await page.getByLabel("Headers").fill("X-Api-Key: k1")
  await writePayload(page, '{"text": "{{recording.title}}"}')
  await console.button("Save").click()
  await page.getByRole("heading", { name: "Automation of VIP customers" }).waitFor()
  expect(await page.getByLabel("Headers").inputValue()).toBe("X-Api-Key: ••••••••")
  await console.button("Send test").click()
  const result = page.getByRole("region", { name: "Result of the test" })
  await result.getByText("Success").first().waitFor()
  expect(await result.getByRole("region", { name: "Request", exact: true }).textContent()).toContain(
    '"text": "Sample recording"'
  )
  expect(await result.getByRole("region", { name: "Response", exact: true }).textContent()).toContain("taken")
})

test("a URL with variables is previewed, and a recording without a ticket is skipped, which its delivery says", async () => {
  const console = await openConsole("/automations/bugs-to-crm")
  const { page } = console
  const url = page.getByLabel("URL")
  await url.fill("https://{{folder.id}}.test/{{recording.ticket}}")
  await page.getByText("character 9: folder.id is in the host or port").waitFor()
  await page.getByText("is no variable (did you mean recording.ticket_id?)").waitFor()
  await url.fill("https://sinks.tapedeck.test/crm/t/{{recording.ticket_id}}?by={{recording.user_email}}")
  await page.getByText("https://sinks.tapedeck.test/crm/t/4711?by=agent%40example.com").waitFor()
  await page.getByLabel("It has a ticket").check()
  await console.button("Save").click()
  await console.seesNotice("Saved.")
  expect(await page.getByLabel("It has a ticket").isChecked()).toBe(true)
  const { deliveries } = await console.addToFolder("bugs", uuid(2))
  await console.open(`/deliveries/${deliveries[0]}`)
  await page
    .getByText("Skipped: the recording has no ticket. It can be delivered again once the reason is gone.")
    .waitFor()
  await console.button("Deliver again").click()
  await console.seesNotice("It would be skipped again: the recording has no ticket")
  expect(console.problems.splice(0)).toEqual([expect.stringContaining("409 (Conflict)")])
})

test("errors of a payload are shown with line and column while it is written, and it is not saved", async () => {
  const console = await openConsole("/automations/bugs-to-crm")
  const { page } = console
  await writePayload(page, '{\n  "a": {{recording.titel}}\n}')
  await page
    .getByText("Line 2, column 8: there is no variable recording.titel (did you mean recording.title?)")
    .waitFor()
  // Beside its line too, and only there.
  const lines = page.locator(".cm-line")
  expect(await lines.allInnerTexts()).toEqual([
    "{",
    expect.stringMatching(/^ {2}"a": .*there is no variable recording\.titel \(did you mean recording\.title\?\)\s*$/),
    "}"
  ])
  expect(await console.button("Save").isDisabled()).toBe(true)
  await writePayload(page, '{"a": {{recording.title}}, "b": {{recording.duration}}, "c": {{recording.network_errors}}}')
  await page.locator(".cm-line-problem").waitFor({ state: "detached" })
  await page.getByLabel("Rendered with").selectOption({ label: "Checkout fails in Safari" })
  await page.getByRole("region", { name: "Preview" }).getByText('"b": 14').waitFor()
  await page.getByRole("region", { name: "Preview" }).getByText('"url": "https://shop.test/api/pay"').waitFor()
  await page.getByRole("tab", { name: "Against the default" }).click()
  await page.getByLabel("Difference").getByText('"a": "Checkout fails in Safari"').waitFor()
})

test("a failed test says at its top why it failed", async () => {
  const console = await openConsole("/automations/bugs-to-crm")
  await console.call("/sinks/crm", { respond: ["reset"] }, "PUT")
  await console.button("Send test").click()
  const status = console.page.getByRole("region", { name: "Result of the test" }).getByRole("status")
  await status.getByText(/Connection reset/).waitFor()
  expect(await status.textContent()).not.toContain("There was no answer that counts")
})

test.each([
  ["/automations/bugs-to-crm", "URL", "https://elsewhere.test/"],
  ["/automations/new", "URL", "https://elsewhere.test/"],
  ["/security/destinations/siem", "Name", "Other"],
  ["/security/destinations/new", "Name", "Other"],
  ["/account", "Account name", "Other"]
])("%s asks before it is left with unsaved changes", async (path, label, text) => {
  const console = await openConsole(path)
  const { page } = console
  const question = page.getByRole("alertdialog", { name: "Leave without saving?" })
  const field = page.getByLabel(label, { exact: true })
  await field.waitFor()
  await console.link("Folders").click()
  await page.getByRole("heading", { name: "Folders", level: 1 }).waitFor()
  await page.goBack()
  await field.fill(text)
  await page.goForward()
  await question.getByRole("button", { name: "Cancel" }).click()
  expect(await field.inputValue()).toBe(text)
  await console.link("Folders").click()
  await question.getByRole("button", { name: "Cancel" }).click()
  expect(await field.inputValue()).toBe(text)
  const isTabKept = () => page.evaluate(() => !dispatchEvent(new Event("beforeunload", { cancelable: true })))
  expect(await isTabKept()).toBe(true)
  await console.link("Folders").click()
  await question.getByRole("button", { name: "Discard the changes" }).click()
  await page.getByRole("heading", { name: "Folders", level: 1 }).waitFor()
  expect(await isTabKept()).toBe(false)
})

test("variables are completed after two braces", async () => {
  const { page } = await openConsole("/automations/bugs-to-crm")
  await writePayload(page, "")
  await page.keyboard.type('{"who": {{recording.cus')
  await page.getByRole("option", { name: /recording\.customer_email/ }).click()
  await page.getByRole("region", { name: "Preview" }).getByText('"who": "customer@example.com"').waitFor()
})

test("the secret is shown on request, and rotated", async () => {
  const console = await openConsole("/automations/bugs-to-crm")
  const { page } = console
  await console.button("View").click()
  await page.getByText("automation-secret", { exact: true }).waitFor()
  await console.button("Rotate").click()
  await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click()
  await page.getByText(/An old secret signs along until/).waitFor()
  expect(await page.getByText("automation-secret", { exact: true }).count()).toBe(0)
})

test("a retry of twelve hours is seen in the timeline against the schedule", async () => {
  const console = await openConsole("/deliveries", {
    fixtures: { ...team, sinks: [{ id: "crm", respond: [500] }] }
  })
  const { page } = console
  await console.addToFolder("bugs", uuid(1))
  await console.advance({ by: "PT2H36M" })
  await page.reload()
  const row = page.getByRole("row", { name: /Waiting/ })
  await row.getByRole("link").click()
  const attempts = page.getByRole("list", { name: "Attempts" })
  await attempts.getByText("14 h 36 m").waitFor()
  const lines = async () => (await attempts.getByRole("listitem").allInnerTexts()).map((text) => text.split("\n")[0])
  expect(await lines()).toEqual(["first", "1 m", "6 m", "36 m", "2 h 36 m", "14 h 36 m"])
  await attempts.getByText("in 12 h").waitFor()
  await console.button("Next event").click()
  await page.getByText("Permanently failed").first().waitFor()
  await page
    .getByRole("region", { name: "Why" })
    .getByText(/failed/)
    .waitFor()
  await console.call("/sinks/crm", { respond: [200] }, "PUT")
  await console.button("Deliver again").click()
  await page.getByText("Scheduled").first().waitFor()
  await console.button("Until idle").click()
  await page.getByText("Delivered").first().waitFor()
})

test("a delivery is copied as a test", async () => {
  const console = await openConsole("/deliveries")
  const { page } = console
  await console.addToFolder("bugs", uuid(1))
  await console.button("Until idle").click()
  await page
    .getByRole("row", { name: /Delivered/ })
    .getByRole("link")
    .click()
  await console.button("Copy as a test").click()
  await page.getByRole("menuitem", { name: "TypeScript (vitest)" }).click()
  await console.seesNotice("The test is copied.")
  const text = await page.evaluate(() => navigator.clipboard.readText())
  expect(text).toContain('toHaveAttemptsAt("0", "1m")')
  expect(text).toContain("expect(delivery).toBeDelivered()")
})

test("the payload's editor keeps what is typed faster than the page is drawn, and takes the default back", async () => {
  const console = await openConsole("/automations/new")
  const { page } = console
  await writePayload(page, "")
  const digits = "1234567890".repeat(10)
  await page.evaluate(async (keys) => {
    const channel = new MessageChannel()
    for (const key of keys) {
      document.execCommand("insertText", false, key)
      await new Promise((resolve) => {
        channel.port1.onmessage = resolve
        channel.port2.postMessage(key)
      })
    }
  }, digits)
  const line = page.getByLabel("Payload").locator(".cm-line").first()
  await expect.poll(() => line.textContent()).toBe(digits)
  await console.button("Back to the default").click()
  await expect.poll(() => page.getByLabel("Payload").textContent()).toContain("recording.title")
})

test("a helpdesk's preset fills in a new automation, after it named what is missing", async () => {
  const { page } = await openConsole("/automations/new", { heading: "New automation" })
  await page.getByLabel("Send to").selectOption("Zendesk")
  await page.getByRole("button", { name: "Fill in the form" }).click()
  await page.getByText("API token is required").waitFor()
  await page.getByLabel("Address", { exact: true }).fill("acme.zendesk.com")
  await page.getByLabel("E-mail address of the agent").fill("ada@acme.test")
  await page.getByLabel("API token").fill("s3cret")
  await page.getByRole("button", { name: "Fill in the form" }).click()
  await page.getByText("Address must be an https address without a path").waitFor()
  await page.getByLabel("Address", { exact: true }).fill("https://acme.zendesk.com/")
  await page.getByRole("button", { name: "Fill in the form" }).click()
  expect(await page.getByLabel("URL", { exact: true }).inputValue()).toBe(
    "https://acme.zendesk.com/api/v2/tickets/{{recording.ticket_id}}.json"
  )
  expect(await page.getByLabel("Method").inputValue()).toBe("PUT")
  // The credential is masked as saved ones are.
  expect(await page.getByLabel("Headers").inputValue()).toBe("Authorization: ••••••••")
  await page.getByText("html_body").first().waitFor()
  const created = page.waitForRequest((request) => request.method() === "POST" && /\/automations$/.test(request.url()))
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("The automation is created.").waitFor()
  expect((await created).postDataJSON()).toMatchObject({
    headers: { Authorization: `Basic ${btoa("ada@acme.test/token:s3cret")}` }
  })
  expect(await page.getByLabel("URL", { exact: true }).inputValue()).toContain("acme.zendesk.com")
  await page.getByRole("button", { name: "Send test" }).click()
  await page.getByRole("alertdialog", { name: "Send a test?" }).waitFor()
})
