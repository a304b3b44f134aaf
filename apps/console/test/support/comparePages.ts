import { expect, onTestFinished } from "vitest"
import { groups, servePages, visitAll } from "./pageServer.ts"

type Evaluate = <Arg, Value>(body: (arg: Arg) => Value, arg: Arg) => Promise<Awaited<Value>>

/** Opens the pages of a group with `capture.js` and without it, and compares what they have seen. */
export const comparePages = async (name: string, goto: (url: string) => Promise<unknown>, evaluate: Evaluate) => {
  const pages = groups[name]!
  const { close, logs, recorderUrl, refused, siteUrl } = await servePages()
  onTestFinished(close)
  await goto(`${recorderUrl}/recorder`)
  const isCut = Object.fromEntries(pages.map((page) => [page.name, page.isCut === true]))
  const seen = await evaluate(visitAll, { siteUrl, names: pages.map(({ name }) => name), isCut })
  const [without, withScript] = [0, 1].map((index) =>
    Object.fromEntries(Object.entries(seen).map(([name, each]) => [name, each[index]]))
  )
  const hanging = Object.values(seen).flatMap(([first]) => first.filter((text) => text.startsWith("did not end")))
  expect(hanging).toEqual([])
  expect(withScript).toEqual(without)
  expect(refused).toEqual([])
  const missing = pages.flatMap((page) =>
    (page.logs ?? [])
      .filter((text) => !logs.get(page.name)?.includes(JSON.stringify(text).slice(1, -1)))
      .map((text) => `${page.name}: ${text}`)
  )
  expect(missing).toEqual([])
  const shown = pages.flatMap((page) => (page.hides ?? []).filter((text) => logs.get(page.name)?.includes(text)))
  expect(shown).toEqual([])
  // The script's own requests are in no log, by whichever observer.
  expect([...logs.values()].filter((lines) => lines.includes("/api/capture/"))).toEqual([])
  // The clocks of the pages and of the recorder are three hours apart.
  const times = [...logs.values()].flatMap((lines) =>
    lines
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { t?: number }).t ?? 0)
  )
  expect(times.filter((t) => Math.abs(t) > 3_600_000)).toEqual([])
}
