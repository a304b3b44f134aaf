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
  const [name, ...more] = parameters.filter((parameter) => parameter !== "--json")
  const problem =
    name === undefined
      ? "which bench?"
      : more.length > 0
        ? `one bench at a time, and no other option than --json: ${more.join(" ")}`
        : names.includes(name)
          ? undefined
          : `there is no bench "${name}"`
  if (name === undefined || problem !== undefined) {
    complain(`bench: ${problem}`)
    complain(`usage: npx pnpm -s bench NAME [--json], where NAME is one of: ${names.join(", ") || "(none yet)"}`)
    return 2
  }

  const bench = (await import(pathToFileURL(join(benches, `${name}.ts`)).href)) as { run: () => Promise<Measurements> }
  const measurements = await bench.run()
  const record = toRecord(name, measurements)
  print(formatMeasurements(name, measurements))
  if (parameters.includes("--json")) {
    mkdirSync(results, { recursive: true })
    writeFileSync(join(results, `${name}.json`), `${JSON.stringify(record, null, 2)}\n`)
    print(JSON.stringify(record))
  }
  return 0
}
