import { expect, test } from "vitest"
import { openConsole, uuid } from "./support/open.ts"

const count = 100_000
const pageSize = 5_000

test("a list of 100,000 recordings scrolls with all of its rows, and is reloaded on request only", async () => {
  const console = await openConsole("/folders")
  const { page } = console
  const { records } = await console.read<{ readonly records: ReadonlyArray<object> }>("/recordings")
  // In the page, which takes a tenth of the time of answers from outside. Its pages are longer than the API's.
  await page.evaluate(
    ([template, count, pageSize]) => {
      const send = globalThis.fetch
      const calls = { made: 0 }
      Object.assign(globalThis, { calls })
      globalThis.fetch = (input, init) => {
        const url = new URL(String(input), location.href)
        if (!url.pathname.endsWith("/api/settings/recordings")) return send(input, init)
        calls.made += 1
        const start = Number(url.searchParams.get("cursor") ?? 0)
        const next = start + pageSize < count ? { next_cursor: String(start + pageSize) } : {}
        const records = Array.from({ length: pageSize }, (_, index) => ({
          ...template,
          uuid: `00000000-0000-4000-8000-${String(start + index).padStart(12, "0")}`,
          title: `Recording ${start + index}`
        }))
        const pagination = { count: 10_000, count_is_exact: false, items: pageSize, ...next }
        return Promise.resolve(Response.json({ pagination, records }))
      }
    },
    [records[0] ?? {}, count, pageSize] as const
  )
  const calls = () => page.evaluate(() => (globalThis as unknown as { calls: { made: number } }).calls.made)
  // None of them is there.
  const session = await page.context().newCDPSession(page)
  await session.send("Network.enable")
  await session.send("Network.setBlockedURLs", { urls: ["*/thumbnail"] })
  await console.go("/recordings")
  await page.getByText(/More than 10\D?000 recordings/).waitFor()
  const list = page.getByRole("region", { name: "Recordings, scrolls" })
  // To the end, page by page.
  for (let loaded = pageSize; loaded < count; loaded += pageSize) {
    await list.evaluate((box) => box.scrollTo(0, box.scrollHeight))
    await expect.poll(() => list.evaluate((box) => box.scrollHeight)).toBeGreaterThan((loaded + 1) * 52)
  }
  expect(await calls()).toBe(count / pageSize)
  await list.evaluate((box) => box.scrollTo(0, box.scrollHeight))
  await page.getByRole("row", { name: /Recording 99999/ }).waitFor()
  // In every frame of fast scrolling, each place of the list has its row.
  const missing = await list.evaluate(async (box) => {
    const gaps: Array<string> = []
    const { bottom, left, top } = box.getBoundingClientRect()
    for (let frame = 0; frame < 30; frame += 1) {
      box.scrollTop = frame % 2 === 0 ? box.scrollTop - 700 * frame : (box.scrollHeight * frame) / 30
      await new Promise(requestAnimationFrame)
      await new Promise(requestAnimationFrame)
      for (let y = top + 60; y < bottom - 10; y += 52) {
        const row = document.elementFromPoint(left + 200, y)?.closest("[role=row]")
        if (row?.textContent?.includes("Recording ") !== true) gaps.push(`frame ${frame}, ${y} px`)
      }
    }
    return gaps
  })
  expect(missing).toEqual([])
  expect(await page.getByRole("row").count()).toBeLessThan(60)
  await console.addToFolder("bugs", uuid(1))
  await page.getByText("The list has changed since it was read.").waitFor()
  expect(await calls()).toBe(count / pageSize)
  await console.button("Show the changes").click()
  await expect.poll(calls).toBe(count / pageSize + 1)
})
