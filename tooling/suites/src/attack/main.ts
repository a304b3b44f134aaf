import { parseArgs } from "node:util"
import { setup as buildCommands } from "@tapedeck/tsconfig/builtCommands.ts"
import { attacks } from "./attacks/index.ts"
import { maxHealthMs, maxHealthMsOfOne, type Result, runAttacks } from "./runAttacks.ts"
import { type Size, type TargetName, targets } from "./targets.ts"

/**
 * `pnpm test:attack`: every attack on a real server process, on SQLite and PostgreSQL, and on the emulator. Watched from
 * outside, the process must answer its health check within a second (within 250 ms where one request is watched alone), grow by no
 * more than docs/operating.md says (on the emulator, beyond what the attack stores), and name each error.
 */

const usage = `npx pnpm -s test:attack [options]

  --target NAME   ${targets.join(", ")}; can be repeated. All by default
  --only NAME     one attack; can be repeated. All by default
  --seed N        of the random parts; a random one by default
  --short         the variant for the tests
  --list          names the attacks
  --help          this text`

const fail = (problem: string): never => {
  console.error(`${problem}\n\n${usage}`)
  process.exit(2)
}

const readOptions = () => {
  try {
    return parseArgs({
      options: {
        seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000_000)) },
        target: { type: "string", multiple: true, default: [...targets] },
        only: { type: "string", multiple: true, default: [] },
        short: { type: "boolean", default: false },
        list: { type: "boolean", default: false },
        help: { type: "boolean", default: false }
      }
    }).values
  } catch (cause) {
    return fail((cause as Error).message)
  }
}

const values = readOptions()
if (values.help) {
  console.log(usage)
  process.exit()
}
// What is attacked ends with this process, however it ends.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
const seed = Number(values.seed)
const size: Size = values.short ? "short" : "full"
const chosen = attacks.filter(({ name }) => values.only.length === 0 || values.only.includes(name))
const unknown = [
  ...values.only.filter((name) => !attacks.some((each) => each.name === name)),
  ...values.target.filter((name) => !(targets as ReadonlyArray<string>).includes(name))
]
if (unknown.length > 0) fail(`no such attack or target: ${unknown.join(", ")} (--list names the attacks)`)
if (!Number.isSafeInteger(seed)) fail(`--seed must be a whole number, not ${values.seed}`)

const slowLaps = ({ laps }: Result) => laps.filter(({ healthMs }) => healthMs > maxHealthMsOfOne)
const isHeld = (result: Result) =>
  result.faults.length === 0 && result.slowestMs <= maxHealthMs && slowLaps(result).length === 0

const lineOf = (result: Result): string => {
  const { attack, grownMb, slowestMs, storedMb, target, tookMs } = result
  const figures = [
    `health ${Math.round(slowestMs)} ms`,
    `+${Math.round(grownMb)} MiB${storedMb > 0 ? ` (${Math.round(storedMb)} stored)` : ""}`,
    `${(tookMs / 1_000).toFixed(1)} s`
  ]
  return `${isHeld(result) ? "held  " : "FAILED"}  ${attack.line}  ${attack.name.padEnd(32)} ${target.padEnd(9)} ${figures.join(", ")}`
}

const print = (result: Result): void => {
  console.log(lineOf(result))
  if (result.slowestMs > maxHealthMs) console.log(`          a health check took longer than ${maxHealthMs} ms`)
  for (const { healthMs, step } of slowLaps(result).toSorted((a, b) => b.healthMs - a.healthMs)) {
    console.log(`          a health check took ${Math.round(healthMs)} ms beside ${step}`)
  }
  for (const fault of result.faults.slice(0, 5)) console.log(`          ${fault}`)
  if (result.faults.length > 5) console.log(`          and ${result.faults.length - 5} more`)
}

if (values.list) {
  for (const { line, name, targets: on } of attacks) console.log(`${line}  ${name.padEnd(32)} ${on.join(", ")}`)
} else {
  buildCommands()
  console.log(`seed ${seed}, ${size}`)
  const results: Array<Result> = []
  for (const target of values.target as ReadonlyArray<TargetName>) {
    results.push(...(await runAttacks(chosen, { target, size, seed, onResult: print })))
  }
  const failed = results.filter((result) => !isHeld(result))
  const names = [...new Set(failed.map(({ attack }) => attack.name))].map((name) => `--only ${name}`).join(" ")
  const again = `${values.short ? " --short" : ""} --seed ${seed} ${names}`
  console.log(
    failed.length === 0
      ? `${results.length} attacks held`
      : `${failed.length} of ${results.length} attacks failed; again with${again}`
  )
  process.exitCode = failed.length === 0 ? 0 : 1
}
process.exit()
