import { expect, test } from "vitest"
import { openConsole, uuid } from "./support/open.ts"

test("a token is made, shown as text, viewed again, renamed and revoked", async () => {
  const console = await openConsole("/personal")
  const { page } = console
  await console.button("New token").click()
  await page.getByLabel("Name", { exact: true }).fill("CI")
  await console.button("Create").click()
  const token = (await page.getByText(/^tdk_\w+$/).textContent()) ?? ""
  await console.button("Copy").and(page.locator(":focus")).waitFor()
  await console.button("Done").click()
  await console.button("View CI").click()
  await page.getByText(token).waitFor()
  await console.button("Copy CI").and(page.locator(":focus")).waitFor()
  await console.button("Edit CI").click()
  await page.getByLabel("Name", { exact: true }).fill("Builds")
  await console.button("Save").click()
  await console.button("Revoke Builds").click()
  await console.button("Revoke the token").click()
  await console.seesNotice("The token is revoked.")
})

test("nothing secret is kept in storage or in the address", async () => {
  const console = await openConsole("/personal")
  const { page } = console
  await console.button("New token").click()
  await page.getByLabel("Name", { exact: true }).fill("CI")
  await console.button("Create").click()
  await page.getByText(/^tdk_\w+$/).waitFor()
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]))
  expect(kept).not.toContain("tdk_")
})

test("the profile is changed, and the navigation shows the new name", async () => {
  const console = await openConsole("/personal")
  const { page } = console
  await page.getByLabel("Shown as").fill("Ada King")
  await page.getByLabel("Any recording arrives that I may see").uncheck()
  await console.button("Save the profile").click()
  await page.getByRole("complementary").getByText("Ada King").waitFor()
})

test("a member changes their name and mail, and adds a picture", async () => {
  const console = await openConsole("/personal", { as: "bob@acme.test" })
  const { page } = console
  await page.getByLabel("Shown as").fill("Robert Noyce")
  await page.getByLabel("A recording of mine arrives").uncheck()
  expect(await page.getByLabel("A webhook’s delivery has permanently failed").count()).toBe(0)
  await console.button("Save the profile").click()
  await page.getByRole("complementary").getByText("Robert Noyce").waitFor()
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
  await page.getByLabel("Add a picture").setInputFiles({
    name: "me.png",
    mimeType: "image/png",
    buffer: Buffer.from(png, "base64")
  })
  await console.button("Remove it").waitFor()
  await page.locator("main img").waitFor()
})

test("people are invited, made admins, and deactivated", async () => {
  const console = await openConsole("/people")
  const { page } = console
  await console.button("Invite").click()
  const form = page.getByRole("dialog")
  await form.getByLabel("E-mail").fill("mia@acme.test")
  await form.getByLabel("Full name").fill("Mia Wallace")
  await form.getByRole("button", { name: "Invite" }).click()
  const mia = page.getByRole("row", { name: /Mia Wallace/ })
  await mia.getByText("Invited").filter({ visible: true }).waitFor()
  const role = page.getByLabel("Role of Mia Wallace")
  const question = page.getByRole("alertdialog")
  // One key of the keyboard asks, and changes nothing.
  await role.focus()
  await page.keyboard.press("ArrowUp")
  await question.getByText("Make Mia Wallace an admin?").waitFor()
  await question.getByRole("button", { name: "Cancel" }).click()
  await question.waitFor({ state: "detached" })
  expect(await role.inputValue()).toBe("member")
  await role.selectOption("admin")
  await question.getByRole("button", { name: "Make an admin" }).click()
  await console.seesNotice("Mia Wallace is an admin now.")
  await console.button("Sessions of Mia Wallace").click()
  await page.getByRole("dialog").getByText("Not signed in.").waitFor()
  await page.keyboard.press("Escape")
  await console.button("Deactivate Mia Wallace").click()
  await question.getByRole("button", { name: "Cancel" }).click()
  await mia.getByText("Invited").filter({ visible: true }).waitFor()
  await console.button("Deactivate Mia Wallace").click()
  await question.getByRole("button", { name: "Deactivate", exact: true }).click()
  await page.getByRole("row", { name: /Mia Wallace.*Deactivated/ }).waitFor()
})

test("the account is renamed, and its API access is turned off after a question", async () => {
  const console = await openConsole("/account")
  const { page } = console
  await page.getByLabel("Account name").fill("Acme GmbH")
  await page.getByRole("region", { name: "Name" }).getByRole("button", { name: "Save" }).click()
  await page.getByRole("complementary").getByText("Acme GmbH").waitFor()
  const access = page.getByLabel("Tokens of the account may be used")
  const question = page.getByRole("alertdialog")
  await access.press(" ")
  await question.getByRole("button", { name: "Cancel" }).click()
  await question.waitFor({ state: "detached" })
  expect(await console.read("/account")).toMatchObject({ name: "Acme GmbH", api_access: true })
  await access.press(" ")
  await question.getByRole("button", { name: "Refuse tokens" }).click()
  await question.waitFor({ state: "detached" })
  expect(await access.isChecked()).toBe(false)
  expect(await console.read("/account")).toMatchObject({ api_access: false })
})

test("an arrow key on the account's sharing saves nothing before Save", async () => {
  const console = await openConsole("/account")
  const { page } = console
  const sharing = page.getByLabel("Who may open new recordings")
  await sharing.focus()
  await page.keyboard.press("ArrowDown")
  expect(await sharing.inputValue()).toBe("account")
  expect(await console.read("/account")).toMatchObject({ sharing: "public" })
  await page.keyboard.press("Enter")
  await page.getByRole("region", { name: "Sharing" }).getByRole("button", { name: "Save" }).click()
  await console.seesNotice("Saved.")
  expect(await console.read("/account")).toMatchObject({ sharing: "account" })
})

test("the audit log is filtered, and an entry shows what changed", async () => {
  const console = await openConsole("/folders")
  const { page } = console
  await console.button("Edit Bugs").click()
  await page.getByLabel("Name").fill("Defects")
  await console.button("Save").click()
  await console.seesNotice("The folder is renamed.")
  await console.link("Security").click()
  await page.getByLabel("Event type").selectOption("folder.updated")
  await page.getByText("1 entry", { exact: true }).waitFor()
  await page.getByRole("row", { name: /folder\.updated/ }).waitFor()
  await console.button("Ada Lovelace renamed the folder Bugs to Defects").click()
  await page.getByRole("dialog").getByText("folder.updated").waitFor()
  await page.getByRole("row", { name: 'name "Bugs" "Defects"' }).waitFor()
})

test("the audit log is exported as CSV", async () => {
  const console = await openConsole("/security")
  const { page } = console
  await console.call("/account", { name: "=1+1" }, "PATCH")
  await console.button("Export").click()
  const download = page.waitForEvent("download")
  await page.getByRole("menuitem", { name: /CSV/ }).click()
  expect((await download).suggestedFilename()).toBe("audit-log.csv")
})

test("a destination is made with its filters, and tested", async () => {
  const console = await openConsole("/security/destinations")
  const { page } = console
  await console.call("/sinks/crm", { respond: [200] }, "PUT")
  await console.button("New destination").click()
  await page.getByLabel("Name", { exact: true }).fill("Log store")
  await page.getByLabel("URL").fill("https://sinks.tapedeck.test/crm")
  await page.getByLabel("Timeout, seconds").fill("60")
  await page.getByLabel("High").check()
  await console.button("Save").click()
  await page.getByRole("heading", { name: "Log store" }).waitFor()
  await console.button("Send test").click()
  await page.getByRole("region", { name: "Result of the test" }).getByText("Success").first().waitFor()
})

test("a member who opens an admins' page is refused, with a link onwards", async () => {
  const console = await openConsole(`/recordings/${uuid(1)}`, { as: "bob@acme.test" })
  for (const path of ["/automations/new", "/deliveries", "/security/destinations", "/people", "/account"]) {
    await console.go(path)
    await console.page.getByText("You may not see this").waitFor()
  }
  await console.link("Go to the library").click()
  await console.page.getByRole("row", { name: /Checkout fails/ }).waitFor()
})
