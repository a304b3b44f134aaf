import { parseArgs } from "node:util"
import { setup as buildCommands } from "@tapedeck/tsconfig/builtCommands.ts"
import { captures } from "./captures.ts"

/**
 * `pnpm test:capture`: a browser records its screen; tabs, browser, server, network and disk fail at moments that the seed
 * chooses, and what was lost is counted by the frames of the video that the server has at the end.
 */

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000_000)) },
    runs: { type: "string", default: "200" },
    only: { type: "string" }
  }
})
const [seed, runs] = [Number(values.seed), Number(values.runs)]
if (!Number.isSafeInteger(runs) || runs < 1 || !Number.isSafeInteger(seed)) {
  console.error("--runs must be an integer of at least 1, and --seed an integer")
  process.exit(2)
}
const only = values.only === undefined ? {} : { only: Number(values.only) }
const again = `--seed ${seed} --runs ${runs}${values.only === undefined ? "" : ` --only ${values.only}`}`

/** What a killed browser may lose at the end. */
const maxLostMs = 2_000

// The browser is in a process group of its own, which an interrupt does not reach.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
console.log(`seed ${seed}, ${runs} captures`)
buildCommands()
const { faults, ...counts } = await captures({ seed, runs, maxLostMs, report: console.log, ...only })
console.log(JSON.stringify(counts))
for (const fault of faults.slice(0, 20)) console.error(fault)
console.log(faults.length === 0 ? "nothing was lost" : `${faults.length} faults; again with ${again}`)
process.exitCode = faults.length === 0 ? 0 : 1
