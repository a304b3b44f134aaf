import { describe, expect, test } from "vitest"
import { violationsIn } from "./support/axe.ts"
import { openConsole, uuid } from "./support/open.ts"

describe("the deletion of a recording", () => {
  const deleted = async () => {
    const console = await openConsole(`/recordings/${uuid(2)}`)
    const { page } = console
    await page.evaluate((undoMs) => {
      const { setTimeout } = window
      const held = (act: () => void, delay?: number) => {
        if (delay !== undoMs) return setTimeout(act, delay)
        Object.assign(window, { passUndoTime: act })
        return 0
      }
      Object.assign(window, { setTimeout: held })
    }, 15_000)
    await console.button("Delete the recording").click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete the recording" }).click()
    await page.getByText("1 recording", { exact: true }).waitFor()
    const isThere = async () =>
      (await console.read<{ readonly uuid?: string }>(`/recordings/${uuid(2)}`)).uuid === uuid(2)
    expect(await isThere()).toBe(true)
    const passUndoTime = () => page.evaluate("passUndoTime()")
    return { console, isThere, page, passUndoTime }
  }

  test("can be undone", async () => {
    const { console, isThere, page, passUndoTime } = await deleted()
    await page.getByText("“How to export invoices” will be deleted.").waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await violationsIn(page)).toEqual([])
    await console.button("Undo").click()
    await page.getByText("2 recordings", { exact: true }).waitFor()
    await passUndoTime()
    await console.go("/folders")
    expect(await isThere()).toBe(true)
  })

  test("happens 15 seconds later", async () => {
    const { console, isThere, page, passUndoTime } = await deleted()
    await passUndoTime()
    await console.button("Undo").waitFor({ state: "detached" })
    await expect.poll(isThere).toBe(false)
    await page.getByText("1 recording", { exact: true }).waitFor()
  })

  test("happens when the user leaves the console, or becomes another one", async () => {
    const left = await deleted()
    await left.page.reload()
    await expect.poll(left.isThere).toBe(false)
    const became = await deleted()
    await became.page.getByRole("combobox", { name: "Signed in as" }).selectOption("bob@acme.test")
    await expect.poll(became.isThere).toBe(false)
  })

  test("is reported if it fails, and the recording is listed again", async () => {
    const { console, page, passUndoTime } = await deleted()
    await console.call("/faults", { match: { method: "DELETE", path: "/api/settings/recordings/*" }, respond: [409] })
    await passUndoTime()
    await page.getByText("2 recordings", { exact: true }).waitFor()
    await page.getByRole("list", { name: "Notices" }).getByText(/./).first().waitFor()
    expect(console.problems.splice(0)).toEqual([expect.stringContaining("409")])
  })
})
