import { setup as buildCommands } from "@tapedeck/tsconfig/builtCommands.ts"
import { commandOptions, seedOption } from "../support/commandOptions.ts"
import { attacks } from "./attacks/index.ts"
import { maxHealthMs, maxHealthMsOfOne, type Result, runAttacks } from "./runAttacks.ts"
import { type Size, type TargetName, targets } from "./targets.ts"

/**
 * `pnpm test:attack`: every attack on a real server process, on SQLite and PostgreSQL, and on the emulator. Watched from
 * outside, the process must answer its health check within a second (within 250 ms where one request is watched alone), grow by no
 * more than docs/operating.md says (on the emulator, beyond what the attack stores), and name each error.
 */

const {
  list,
  only,
  seed,
  short,
  target: chosenTargets
} = commandOptions("test:attack", {
  target: { is: "names", of: targets, about: "what is attacked" },
  only: { is: "names", of: attacks.map(({ name }) => name), about: "the attack" },
  seed: seedOption(),
  short: { is: "flag", about: "the variant for the tests" },
  list: { is: "flag", about: "names the attacks" }
})
// What is attacked ends with this process, however it ends.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
const size: Size = short ? "short" : "full"
const chosen = attacks.filter(({ name }) => only.includes(name))

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

if (list) {
  for (const { line, name, targets: on } of attacks) console.log(`${line}  ${name.padEnd(32)} ${on.join(", ")}`)
} else {
  buildCommands()
  console.log(`seed ${seed}, ${size}`)
  const results: Array<Result> = []
  for (const target of chosenTargets as ReadonlyArray<TargetName>) {
    results.push(...(await runAttacks(chosen, { target, size, seed, onResult: print })))
  }
  const failed = results.filter((result) => !isHeld(result))
  const names = [...new Set(failed.map(({ attack }) => attack.name))].map((name) => `--only ${name}`).join(" ")
  const again = `${short ? " --short" : ""} --seed ${seed} ${names}`
  console.log(
    failed.length === 0
      ? `${results.length} attacks held`
      : `${failed.length} of ${results.length} attacks failed; again with${again}`
  )
  process.exitCode = failed.length === 0 ? 0 : 1
}
process.exit()
