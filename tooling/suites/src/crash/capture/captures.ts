import { join } from "node:path"
import { Random } from "../../determinism/Random.ts"
import { temporaryFolder } from "../../support/process.ts"
import { Events } from "../Events.ts"
import { smallDisk } from "../SmallDisk.ts"
import { Browser } from "./Browser.ts"
import { type Disturbance, disturbances } from "./runs.ts"
import { Service } from "./Service.ts"

export interface CapturesOptions {
  readonly seed: number
  readonly runs: number
  /** Only this run. */
  readonly only?: number
  /** Maximum of recorded time that a killed tab or browser may lose, in milliseconds. Default: any, as a test measures no time. */
  readonly maxLostMs?: number
  readonly report?: (line: string) => void
}

export interface CapturesFindings {
  readonly faults: ReadonlyArray<string>
  readonly runs: Readonly<Record<string, number>>
  /** The longest time that a killed tab or browser lost, in milliseconds. */
  readonly maxLostMs: number
}

/** A server takes 30 captures an hour from one address. */
const runsOfOneServer = 20

/** A run that takes longer than this hangs. */
const maxRunMs = 180_000

const names = Object.keys(disturbances)

/** Recordings of screens in a real browser, each disturbed once, at a moment that the seed chooses by counting what is sent. */
export const captures = async ({
  maxLostMs = Infinity,
  only,
  report,
  runs,
  seed
}: CapturesOptions): Promise<CapturesFindings> => {
  const counts: Record<string, number> = {}
  const faults: Array<string> = []
  let longestMs = 0
  let shared: { readonly service: Service; readonly events: Events } | undefined
  const served = async (options?: Disturbance["own"]) => {
    const events = new Events()
    return { events, service: await Service.start({ events, ...options }) }
  }
  for (let n = 1; n <= runs; n += 1) {
    if (only !== undefined && only !== n) continue
    // Each run has its own seed, so that one can be repeated alone; each kind of disturbance comes in turn.
    const random = new Random(seed + n)
    const name = names[n % names.length]!
    const { browserDiskBytes, own, run } = disturbances[name]!
    if (own === undefined && (shared === undefined || n % runsOfOneServer === 0)) {
      await shared?.service.remove()
      shared = await served()
    }
    const { events, service } = own === undefined ? shared! : await served(own)
    const folder = await temporaryFolder()
    const disk = browserDiskBytes && (await smallDisk(join(folder.path, "disk"), browserDiskBytes))
    const browser = disk ? new Browser(join(disk.path, "profile"), disk) : new Browser(join(folder.path, "profile"))
    const timeout = AbortSignal.timeout(maxRunMs)
    const hangs = new Promise<never>((_, reject) => {
      timeout.addEventListener("abort", () => reject(new Error(`hung for ${maxRunMs / 1_000} s`)), { once: true })
    })
    hangs.catch(() => {})
    try {
      const startedAt = Date.now()
      const loss = await Promise.race([run({ title: `run ${n}`, startedAt, random, events, browser, service }), hangs])
      const { lostMs = 0 } = loss
      const found = lostMs > maxLostMs ? [...loss.faults, `${lostMs} ms were lost`] : loss.faults
      faults.push(...found.map((fault) => `run ${n}, ${name}: ${fault}`))
      longestMs = Math.max(longestMs, lostMs)
      const outcome = found.length > 0 ? found.join("; ") : "nothing lost that was kept"
      report?.(`run ${n} of ${runs}, ${name}: ${outcome}${loss.lostMs === undefined ? "" : `, the last ${lostMs} ms`}`)
    } catch (error) {
      faults.push(`run ${n}, ${name}: ${error instanceof Error ? error.message : String(error)}`)
      report?.(faults.at(-1)!)
      // Its server may be down, or cut off.
      shared = own === undefined ? undefined : shared
    }
    counts[name] = (counts[name] ?? 0) + 1
    await browser.kill()
    await browser.disk?.remove()
    await folder.remove()
    if (shared?.service !== service) await service.remove()
  }
  await shared?.service.remove()
  return { faults, runs: counts, maxLostMs: longestMs }
}
