import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { formatMeasurements, type Measurements, toRecord } from "./report.ts"

interface Environment {
  /** The folder of the benches, one a file: NAME.ts exports `run()`. */
  readonly benches: string
  /** The folder of the records, NAME.json. */
  readonly results: string
  readonly print: (line: string) => void
  readonly complain: (line: string) => void
}

/** Options of a bench, all of them whole numbers, with their defaults. */
export type BenchOptions = Readonly<Record<string, number>>

interface Bench {
  readonly options?: BenchOptions
  /** The name of its operand, if it takes one. */
  readonly operand?: string
  readonly run: (options: BenchOptions, operand?: string) => Promise<Measurements>
}

/** Removes the first parameter that is neither an option nor the value of one. */
const takeWord = (parameters: ReadonlyArray<string>) => {
  const rest = parameters.filter((parameter) => parameter !== "--json")
  const at = rest.findIndex((parameter, index) => !parameter.startsWith("--") && !/^--\w/.test(rest[index - 1] ?? ""))
  return { word: rest[at], rest: rest.filter((_, index) => index !== at) }
}

const readOptions = (
  parameters: ReadonlyArray<string>,
  defaults: BenchOptions
): { readonly options: BenchOptions } | { readonly problem: string } => {
  const options: Record<string, number> = { ...defaults }
  for (let index = 0; index < parameters.length; index += 2) {
    const [option = "", value] = parameters.slice(index)
    const key = option.slice("--".length).replaceAll("-", "_")
    if (!option.startsWith("--") || !(key in defaults)) {
      const known = ["--json", ...Object.keys(defaults).map((one) => `--${one.replaceAll("_", "-")}`)].join(", ")
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
 * Runs the bench that the parameters name. With `--json` the last line printed is its record, which is also stored.
 * Returns the exit status: 0, or 2 where the parameters are wrong.
 */
export const runBench = async (
  parameters: ReadonlyArray<string>,
  { benches, results, print, complain }: Environment
): Promise<number> => {
  const names = existsSync(benches)
    ? readdirSync(benches)
        .filter((file) => file.endsWith(".ts"))
        .map((file) => file.slice(0, -".ts".length))
        .sort()
    : []
  const usage = (problem: string, { operand, options = {} }: Partial<Bench> = {}): number => {
    const known = Object.keys(options).map((option) => ` [--${option.replaceAll("_", "-")} N]`)
    complain(`bench: ${problem}`)
    complain(
      `usage: npx pnpm -s bench NAME${operand === undefined ? "" : ` ${operand}`}${known.join("")} [--json], where NAME is one of: ${names.join(", ") || "(none yet)"}`
    )
    return 2
  }
  const { rest, word: name } = takeWord(parameters)
  if (name === undefined) return usage("name a bench")
  if (!names.includes(name)) return usage(`there is no bench "${name}"`)
  const bench = (await import(pathToFileURL(join(benches, `${name}.ts`)).href)) as Bench
  const words = bench.operand === undefined ? { rest, word: undefined } : takeWord(rest)
  if (bench.operand !== undefined && words.word === undefined) return usage(`${name} requires ${bench.operand}`, bench)
  const read = readOptions(words.rest, bench.options ?? {})
  if ("problem" in read) return usage(read.problem, bench)

  const measurements = await bench.run(read.options, words.word)
  const record = toRecord(name, measurements)
  print(formatMeasurements(name, measurements))
  if (parameters.includes("--json")) {
    mkdirSync(results, { recursive: true })
    writeFileSync(join(results, `${name}.json`), `${JSON.stringify(record, null, 2)}\n`)
    print(JSON.stringify(record))
  }
  return 0
}
