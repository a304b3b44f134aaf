import { expect, test } from "vitest"
import { violationsIn } from "./support/axe.ts"
import { openConsole, uuid } from "./support/open.ts"

test("Control-K finds recordings, folders, people and pages on every screen, and opens them by keyboard", async () => {
  const { page } = await openConsole("/folders")
  await page.getByRole("heading", { name: "Folders" }).waitFor()
  await page.keyboard.press("Control+k")
  const field = page.getByRole("combobox", { name: "Search everything" })
  await field.and(page.locator(":focus")).waitFor()
  const options = page.getByRole("option")
  const opens = async (text: string, name: string | RegExp, path: string) => {
    await field.fill(text)
    await options.filter({ hasText: name }).first().and(page.locator("[aria-selected=true]")).waitFor()
    await page.keyboard.press("Enter")
    await expect.poll(() => page.url()).toContain(path)
    expect(await field.count()).toBe(0)
    await page.keyboard.press("Control+k")
  }
  await opens("nothing happens", "0:06 Nothing happens.", `/recordings/${uuid(1)}?t=6`)
  await opens("zendesk 4711", "Checkout fails in Safari", `/recordings/${uuid(1)}`)
  await opens("vip", "VIP customers", "/recordings?folder=vip")
  await opens("secur", "Security", "/security")
  await field.fill("pay")
  await options.filter({ hasText: "0:00 I want to pay." }).waitFor()
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await violationsIn(page)).toEqual([])
  }
  await field.fill("bugs crm")
  await options.filter({ hasText: "Bugs →" }).waitFor()
  await field.fill("no such thing")
  await page.getByText("Nothing matches.").waitFor()
  await page.keyboard.press("Escape")
  await expect.poll(() => field.count()).toBe(0)
})
