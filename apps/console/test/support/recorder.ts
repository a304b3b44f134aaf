import type { Page } from "playwright-core"
import { openTab } from "./open.ts"

export const openLink = async (address: string): Promise<Page> => {
  const page = await openTab()
  await page.goto(address)
  return page
}

export const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click()
export const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name })

/** From the request to the recorder, which has recorded for some seconds. */
export const record = async (page: Page, seconds: number) => {
  await press(page, "Continue")
  await heading(page, "Ready?").waitFor()
  await press(page, "Start recording")
  await heading(page, "Recording").waitFor()
  await recorded(page, seconds)
}

export const recorded = (page: Page, seconds: number) =>
  page.waitForFunction((wanted) => Number(/● \d+:(\d+)/.exec(document.title)?.[1] ?? 0) >= wanted, seconds)

/** Bytes of video that the browser keeps. */
export const spooledBytes = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open("tapedeck-capture")
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const all = opening.result.transaction("parts").objectStore("parts").getAll()
          all.onsuccess = () => {
            opening.result.close()
            resolve(
              (all.result as Array<{ sizes: Array<number> }>).flatMap(({ sizes }) => sizes).reduce((a, b) => a + b, 0)
            )
          }
        }
      })
  )
