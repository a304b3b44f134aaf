import { temporaryFolder } from "../support/process.ts"
import { Arena, type Lap } from "./Arena.ts"
import type { Attack } from "./Attack.ts"
import { databaseUrl, type ServiceOptions, startService } from "./Service.ts"
import type { Size, TargetName } from "./targets.ts"
import { type Seen, Watch } from "./Watch.ts"

/** What an attack came to. */
export interface Result extends Seen {
  readonly attack: Attack
  readonly target: TargetName
  readonly tookMs: number
  /** What the process keeps in memory by design, in MiB: part of `grownMb`. */
  readonly storedMb: number
  /** What was not as promised, but for the times: those are the command's to judge. */
  readonly faults: ReadonlyArray<string>
  /** The steps that were watched alone. */
  readonly laps: ReadonlyArray<Lap>
}

/** As docs/operating.md says under Memory; beyond what the attack stores, where the process keeps that in memory. */
const maxGrownMb = 400
/** Maximum duration of a health check beside an attack, and beside one of its requests alone, in milliseconds. */
export const maxHealthMs = 1_000
export const maxHealthMsOfOne = 250

interface Options {
  readonly target: TargetName
  readonly size: Size
  readonly seed: number
  /** Gets each result as it ends. */
  readonly onResult?: (result: Result) => void
}

/** Runs attacks on one target, each on a process of its own; in the short size, those that need nothing else share one. */
export const runAttacks = async (attacks: ReadonlyArray<Attack>, options: Options): Promise<ReadonlyArray<Result>> => {
  const own = attacks.filter(({ targets }) => targets.includes(options.target))
  const sharing = options.size === "short" ? own.filter((each) => !isAlone(each)) : []
  const groups = [
    ...(sharing.length > 0 ? [sharing] : []),
    ...own.filter((each) => !sharing.includes(each)).map((each) => [each])
  ]
  const results: Array<Result> = []
  for (const group of groups) results.push(...(await onOneService(group, options)))
  return results
}

const isAlone = ({ document, isAlone = false, options }: Attack): boolean =>
  isAlone || document !== undefined || options !== undefined

const onOneService = async (
  group: ReadonlyArray<Attack>,
  { seed, size, target, onResult = () => {} }: Options
): Promise<ReadonlyArray<Result>> => {
  const [first] = group as readonly [Attack]
  const folder = await temporaryFolder()
  const options: ServiceOptions = {
    target,
    folder,
    document: first.document?.(size) ?? {},
    args: first.options?.(size) ?? [],
    environment: target === "postgres" ? { TAPEDECK_DATABASE_URL: await databaseUrl() } : {}
  }
  let service = await startService(options)
  const watch = await Watch.of(service)
  const results: Array<Result> = []
  try {
    for (const attack of group) {
      const arena = new Arena({
        size,
        seed,
        folder,
        service,
        options,
        pause: () => watch.pause(),
        follow: (next) => {
          service = next
          return watch.follow(next)
        },
        lap: () => watch.lap()
      })
      await watch.take()
      const began = performance.now()
      await attack.run(arena).catch((cause: unknown) => arena.fault(`ended with an error: ${String(cause)}`))
      await arena.end()
      const tookMs = performance.now() - began
      const seen = await watch.take()
      const faults = [...arena.faults, ...seen.failed]
      const { storedMb } = arena
      const mostMb = maxGrownMb + storedMb
      if (seen.grownMb > mostMb)
        faults.push(`memory grew by ${Math.round(seen.grownMb)} MiB; ${Math.round(mostMb)} at most`)
      const result: Result = { ...seen, attack, target, tookMs, storedMb, faults, laps: arena.laps }
      onResult(result)
      results.push(result)
    }
  } finally {
    await watch.end()
    await service.stop()
    await folder.remove()
  }
  return results
}
