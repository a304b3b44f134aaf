import { availableParallelism, cpus, totalmem } from "node:os"

/** What a bench measured. Keys are those that the issues name, like `rps_vs_node`. */
export interface Measurements {
  readonly results: Readonly<Record<string, { readonly value: number; readonly unit: string }>>
  /** Ours against a peer's, from one run; above 1 is better. */
  readonly ratios: Readonly<Record<string, number>>
  /** What a reader must know to judge the numbers: sizes, what dominates, why an aim is missed. */
  readonly notes?: ReadonlyArray<string>
}

/** The last line of `--json`, which is also stored under results/. */
export interface BenchRecord extends Pick<Measurements, "results" | "ratios"> {
  readonly name: string
  readonly machine: ReturnType<typeof describeMachine>
}

/** Enough of the machine to know whether two records may be compared. */
export const describeMachine = () => ({
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  platform: `${process.platform}-${process.arch}`
})

/** Throws on a figure that JSON cannot hold, naming its key: a division by nothing is a fault of the bench. */
export const toRecord = (name: string, { results, ratios }: Measurements): BenchRecord => {
  const figures = [
    ...Object.entries(results).map(([key, { value }]) => [key, value] as const),
    ...Object.entries(ratios)
  ]
  for (const [key, value] of figures) {
    if (!Number.isFinite(value)) throw new Error(`bench ${name}: ${key} is ${value}, not a finite number`)
  }
  return { name, machine: describeMachine(), results, ratios }
}

/** The figures in columns, the ratios below them, the notes last. */
export const formatMeasurements = (name: string, { results, ratios, notes = [] }: Measurements): string => {
  const rows = [
    ...Object.entries(results).map(([key, { value, unit }]) => [key, figure(value), unit] as const),
    ...Object.entries(ratios).map(([key, value]) => [key, figure(value), "×"] as const)
  ]
  const keyWidth = Math.max(0, ...rows.map(([key]) => key.length))
  const valueWidth = Math.max(0, ...rows.map(([, value]) => value.length))
  const { cpu, cores, memoryGiB, node, platform } = describeMachine()
  return [
    `${name} on ${cpu}, ${cores} cores, ${memoryGiB} GiB, Node ${node}, ${platform}`,
    ...rows.map(([key, value, unit]) => `  ${key.padEnd(keyWidth)}  ${value.padStart(valueWidth)} ${unit}`),
    ...notes.map((note) => `  ${note}`)
  ].join("\n")
}

/** Three significant digits, or whole numbers from 100 up. */
const figure = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)))
