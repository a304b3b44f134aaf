import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { formatMeasurements, type Measurements, toRecord } from "./report.ts"

interface Surroundings {
  /** Where the benches lie, one a file: NAME.ts exports `run()`. */
  readonly benches: string
  /** Where records are kept, as NAME.json. */
  readonly results: string
  readonly print: (line: string) => void
  readonly complain: (line: string) => void
}

/** Whole numbers that a bench may be told, by the names of their options, with what holds where nothing is said. */
export type BenchOptions = Readonly<Record<string, number>>

interface Bench {
  readonly options?: BenchOptions
  readonly run: (options: BenchOptions) => Promise<Measurements>
}

/** The name is the first parameter that is no option and no option's value. */
const readName = (parameters: ReadonlyArray<string>) => {
  const rest = parameters.filter((parameter) => parameter !== "--json")
  const at = rest.findIndex((parameter, index) => !parameter.startsWith("--") && !/^--\w/.test(rest[index - 1] ?? ""))
  return { name: rest[at], rest: rest.filter((_, index) => index !== at) }
}

const readOptions = (
  parameters: ReadonlyArray<string>,
  defaults: BenchOptions
): { readonly options: BenchOptions } | { readonly problem: string } => {
  const options: Record<string, number> = { ...defaults }
  for (let index = 0; index < parameters.length; index += 2) {
    const [option = "", value] = parameters.slice(index)
    const key = option.slice("--".length)
    if (!option.startsWith("--") || !(key in defaults)) {
      const known = ["--json", ...Object.keys(defaults).map((one) => `--${one}`)].join(", ")
      return { problem: `one bench at a time, and no other option than ${known}: ${parameters.slice(index).join(" ")}` }
    }
    if (value === undefined || !/^\d{1,9}$/.test(value)) {
      return { problem: `${option} wants a whole number${value === undefined ? "" : `, not "${value}"`}` }
    }
    options[key] = Number(value)
  }
  return { options }
}

/**
 * Runs the bench that the parameters name. With `--json` the last line printed is its record, which is also kept.
 * Returns the exit status: 0, or 2 where the parameters are wrong.
 */
export const runBench = async (
  parameters: ReadonlyArray<string>,
  { benches, results, print, complain }: Surroundings
): Promise<number> => {
  const names = existsSync(benches)
    ? readdirSync(benches)
        .filter((file) => file.endsWith(".ts"))
        .map((file) => file.slice(0, -".ts".length))
        .sort()
    : []
  const usage = (problem: string, options: BenchOptions = {}): number => {
    const known = Object.keys(options).map((option) => ` [--${option} N]`)
    complain(`bench: ${problem}`)
    complain(
      `usage: npx pnpm -s bench NAME${known.join("")} [--json], where NAME is one of: ${names.join(", ") || "(none yet)"}`
    )
    return 2
  }
  const named = readName(parameters)
  if (named.name === undefined) return usage("which bench?")
  if (!names.includes(named.name)) return usage(`there is no bench "${named.name}"`)
  const { name } = named
  const bench = (await import(pathToFileURL(join(benches, `${name}.ts`)).href)) as Bench
  const read = readOptions(named.rest, bench.options ?? {})
  if ("problem" in read) return usage(read.problem, bench.options)

  const measurements = await bench.run(read.options)
  const record = toRecord(name, measurements)
  print(formatMeasurements(name, measurements))
  if (parameters.includes("--json")) {
    mkdirSync(results, { recursive: true })
    writeFileSync(join(results, `${name}.json`), `${JSON.stringify(record, null, 2)}\n`)
    print(JSON.stringify(record))
  }
  return 0
}
