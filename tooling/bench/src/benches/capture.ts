import { chromium } from "playwright-core"
import { burstEvents, type Contender, loadPage, type PageLoad } from "../capture/pageLoad.ts"
import { buildScripts, gzipBytes } from "../capture/scripts.ts"
import { startSite } from "../capture/site.ts"
import { stopToPlayable } from "../capture/stopToPlayable.ts"
import { interleave, median } from "../measure.ts"
import type { Measurements } from "../report.ts"
import type { BenchOptions } from "../runner.ts"

/** `rounds`: loads of the page with each script; `clicks`: of a load. `recordings` of so many `seconds`, each sent in two ways. */
export const options = { rounds: 5, clicks: 60, recordings: 3, seconds: 20 } satisfies BenchOptions

/**
 * What `capture.js` adds to a page in bytes and in processor time of its main thread, beside Sentry's and PostHog's scripts; and how
 * long a recording takes from its end until it can be played.
 */
export const run = async ({ clicks, recordings, rounds, seconds }: BenchOptions): Promise<Measurements> => {
  const toPlayable = await interleave(
    {
      whileRecording: () => stopToPlayable("whileRecording", seconds!),
      afterwards: () => stopToPlayable("afterwards", seconds!)
    },
    { rounds: recordings!, warmUpRounds: 0 }
  )
  const scripts = await buildScripts()
  const site = await startSite(scripts)
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
  })
  try {
    const pageLoads: Record<Contender, Array<PageLoad>> = {
      plain: [],
      look_back: [],
      tapedeck: [],
      sentry: [],
      posthog: []
    }
    const loader = (name: Contender) => async () => {
      const made = await loadPage(browser, site, name, clicks!)
      pageLoads[name].push(made)
      return made.mainThreadMs
    }
    const names = Object.keys(pageLoads) as ReadonlyArray<Contender>
    const times = await interleave(
      Object.fromEntries(names.map((name) => [name, loader(name)])) as Record<Contender, () => Promise<number>>,
      { rounds: rounds!, warmUpRounds: 1 }
    )
    const added = (name: Contender) => median(times[name]) - median(times.plain)
    // Without those of the warm-up.
    const counted = (name: Contender) => pageLoads[name].slice(-rounds!)
    const burst = (name: Contender) => median(counted(name).map(({ burstMs }) => burstMs))
    const eventsPerSecond = (name: Contender) => (burstEvents / (burst(name) - burst("plain"))) * 1000
    const sentKb = (name: Contender) => median(counted(name).map(({ sent }) => sent.bytes)) / 1000
    const bytes = {
      tapedeck: gzipBytes(scripts.tapedeck) + gzipBytes(scripts.redactor),
      sentry: gzipBytes(scripts.sentry),
      posthog: gzipBytes(scripts.posthog)
    }
    return {
      results: {
        kb_gzip: { value: bytes.tapedeck / 1000, unit: "kB" },
        sentry_kb_gzip: { value: bytes.sentry / 1000, unit: "kB" },
        posthog_kb_gzip: { value: bytes.posthog / 1000, unit: "kB" },
        main_thread_ms: { value: added("tapedeck"), unit: "ms" },
        look_back_main_thread_ms: { value: added("look_back"), unit: "ms" },
        sentry_main_thread_ms: { value: added("sentry"), unit: "ms" },
        posthog_main_thread_ms: { value: added("posthog"), unit: "ms" },
        plain_main_thread_ms: { value: median(times.plain), unit: "ms" },
        sent_kb: { value: sentKb("tapedeck"), unit: "kB" },
        sentry_sent_kb: { value: sentKb("sentry"), unit: "kB" },
        posthog_sent_kb: { value: sentKb("posthog"), unit: "kB" },
        log_events_s: { value: eventsPerSecond("tapedeck"), unit: "events/s" },
        look_back_events_s: { value: eventsPerSecond("look_back"), unit: "events/s" },
        stop_to_playable_ms: { value: median(toPlayable.whileRecording), unit: "ms" },
        stop_to_playable_afterwards_ms: { value: median(toPlayable.afterwards), unit: "ms" }
      },
      ratios: {
        bytes_vs_sentry: bytes.tapedeck / bytes.sentry,
        bytes_vs_posthog: bytes.tapedeck / bytes.posthog,
        main_thread_vs_sentry: added("tapedeck") / added("sentry"),
        main_thread_vs_posthog: added("tapedeck") / added("posthog"),
        stop_to_playable_vs_afterwards: median(toPlayable.whileRecording) / median(toPlayable.afterwards)
      },
      notes: [
        "bytes: minified and gzipped; less is better, the aim is 0.5",
        "main thread: processor time that the script adds to the page without one, while it records and sends to loopback",
        "Sentry and PostHog record the page's elements besides; Tapedeck's video is made in another window and not counted",
        "stop to playable: over an uplink of 2 Mb/s, beside a recorder that uploads its file when it is stopped"
      ]
    }
  } finally {
    await browser.close()
    site.close()
  }
}
