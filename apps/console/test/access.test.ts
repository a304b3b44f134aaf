import { describe, expect, test } from "vitest"
import { violationsIn } from "./support/axe.ts"
import { openConsole } from "./support/open.ts"
import { eachScreen } from "./support/screens.ts"

/** Returns the elements of a page that scroll sideways, and the controls that are cut off. Runs in the page. */
const cutControls = () => {
  const nameOf = (element: Element) =>
    `${element.tagName} ${element.getAttribute("aria-label") ?? element.textContent.slice(0, 30)}`
  const hides = (element: Element) => getComputedStyle(element).overflowX !== "visible"
  const scrolled = [...document.querySelectorAll("body *")].filter(
    (element) =>
      /auto|scroll/.test(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth + 1
  )
  const cut = [...document.querySelectorAll("button, input, select, textarea")].filter((control) => {
    const { right, width } = control.getBoundingClientRect()
    if (width <= 1) return false
    for (let box = control.parentElement; box !== null; box = box.parentElement) {
      if (hides(box) && right > box.getBoundingClientRect().right + 1) return true
    }
    return right > innerWidth
  })
  return [...scrolled.map((one) => `scrolls: ${nameOf(one)}`), ...cut.map((one) => `is cut: ${nameOf(one)}`)]
}

describe("accessibility", () => {
  test("axe finds nothing on any screen in light and dark, no screen is wider than 360 px or 1280 px at 200 % zoom, and no control is cut off on a phone", async () => {
    const found = { violations: [] as Array<string>, wide: [] as Array<string>, cut: [] as Array<string> }
    const console = await openConsole("/world")
    const { page } = console
    const initial = page.viewportSize()!
    await eachScreen(console, async (screen) => {
      await page.setViewportSize(initial)
      await page.emulateMedia({ colorScheme: "light" })
      found.violations.push(...(await violationsIn(page)).map((text) => `${screen}, light: ${text}`))
      await page.emulateMedia({ colorScheme: "dark" })
      // All other rules are the same in both.
      const rules = ["color-contrast"]
      found.violations.push(...(await violationsIn(page, { rules })).map((text) => `${screen}, dark: ${text}`))
      for (const width of [360, 640]) {
        await page.setViewportSize({ width, height: 400 })
        const needed = await page.evaluate(() =>
          Math.max(document.documentElement.scrollWidth, document.querySelector("main")?.scrollWidth ?? 0)
        )
        if (needed > width) found.wide.push(`${screen}: ${needed} px in ${width} px`)
      }
      await page.setViewportSize({ width: 390, height: 800 })
      found.cut.push(...(await page.evaluate(cutControls)).map((text) => `${screen}: ${text}`))
    })
    expect(found).toEqual({ violations: [], wide: [], cut: [] })
  })

  test("the keyboard alone skips to the content, opens a recording, and leaves a dialog with the focus where it was", async () => {
    const { page } = await openConsole("/recordings")
    await page.getByRole("link", { name: "Skip to the content" }).focus()
    await page.keyboard.press("Enter")
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main")
    await page.getByRole("button", { name: "New recording" }).focus()
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").waitFor()
    await page.keyboard.press("Escape")
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("New recording")
    await page.getByRole("link", { name: "Checkout fails in Safari" }).focus()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Checkout fails in Safari" }).waitFor()
  })

  test("the colours are switched, and stay so", async () => {
    const { page } = await openConsole("/recordings")
    await page.getByRole("radio", { name: "Dark" }).check({ force: true })
    await page.reload()
    await page.locator("html[data-theme=dark]").waitFor()
    await page.getByRole("radio", { name: "As the system" }).check({ force: true })
  })
})
