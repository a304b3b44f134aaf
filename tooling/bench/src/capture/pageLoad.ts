/// <reference lib="dom" />
import { setTimeout } from "node:timers/promises"
import type { Browser, CDPSession } from "playwright-core"
import type { Sent, startSite } from "./site.ts"

/** `look_back`: Tapedeck's script while it does not record. */
export type Contender = "plain" | "look_back" | "tapedeck" | "sentry" | "posthog"

export interface PageLoad {
  /** Processor time of the page's main thread, from navigation until all that was recorded is sent. */
  readonly mainThreadMs: number
  /** The same for the console calls of a burst. */
  readonly burstMs: number
  readonly sent: Sent
}

/** The longest time for which a script gathers before it sends: Sentry's, 5.5 s. */
const settleMs = 6_500
const clickPauseMs = 40
export const burstEvents = 4_000

const taskMs = async (session: CDPSession): Promise<number> => {
  const { metrics } = await session.send("Performance.getMetrics")
  return metrics.find(({ name }) => name === "TaskDuration")!.value * 1000
}

/** Loads the page with a script and an empty cache, clicks, and waits. Fails where a script did not send what it recorded. */
export const loadPage = async (
  browser: Browser,
  site: Awaited<ReturnType<typeof startSite>>,
  name: Contender,
  clicks: number
): Promise<PageLoad> => {
  const script = name === "look_back" ? "tapedeck" : name
  site.take(script)
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    const page = await context.newPage()
    await page.goto(site.page("plain"))
    const session = await context.newCDPSession(page)
    await session.send("Performance.enable", { timeDomain: "threadTicks" })
    const before = await taskMs(session)
    await page.goto(site.page(script))
    if (name === "tapedeck") {
      const log = page.waitForResponse((response) => response.url().includes("/pairings"))
      await page.evaluate(() => (window as unknown as { Tapedeck: { record: () => void } }).Tapedeck.record())
      await log
      await page.bringToFront()
    }
    for (let click = 0; click < clicks; click++) {
      await page.mouse.click(100, 50)
      await setTimeout(clickPauseMs)
    }
    await setTimeout(settleMs)
    const after = await taskMs(session)
    const sent = site.take(script)
    check(name, sent, clicks)
    await page.evaluate((count) => (globalThis as unknown as { burst: (n: number) => void }).burst(count), burstEvents)
    await setTimeout(settleMs / 2)
    const burstMs = (await taskMs(session)) - after
    if (name === "tapedeck" && site.take(script).consoleEvents < burstEvents)
      throw new Error("events of the burst are missing")
    return { mainThreadMs: after - before, burstMs, sent }
  } finally {
    await context.close()
  }
}

const check = (name: Contender, { bytes, consoleEvents, paths }: Sent, clicks: number) => {
  const isSent = {
    plain: paths.length === 0,
    look_back: consoleEvents === 0,
    tapedeck: consoleEvents >= clicks * 5,
    sentry: bytes > clicks * 100 && paths.some((path) => path.endsWith("/envelope/")),
    posthog: bytes > clicks * 100 && paths.some((path) => path.startsWith("/posthog/s/"))
  }[name]
  if (!isSent)
    throw new Error(`${name} sent ${bytes} bytes: ${[...new Set(paths)].join(", ")} (${consoleEvents} console events)`)
}
