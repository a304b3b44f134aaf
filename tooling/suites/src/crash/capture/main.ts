import { setup as buildCommands } from "@tapedeck/tsconfig/builtCommands.ts"
import { commandOptions, seedOption } from "../../support/commandOptions.ts"
import { captures } from "./captures.ts"

/**
 * `pnpm test:capture`: a browser records its screen; tabs, browser, server, network and disk fail at moments that the seed
 * chooses, and what was lost is counted by the frames of the video that the server has at the end.
 */

const { only, runs, seed } = commandOptions("test:capture", {
  seed: seedOption(),
  runs: { is: "number", min: 1, about: "number of captures", default: 200 },
  only: { is: "number", about: "the one capture of the run that is made, by its number" }
})
const again = `--seed ${seed} --runs ${runs}${only === undefined ? "" : ` --only ${only}`}`

/** What a killed browser may lose at the end. */
const maxLostMs = 2_000

// The browser is in a process group of its own, which an interrupt does not reach.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
console.log(`seed ${seed}, ${runs} captures`)
buildCommands()
const { faults, ...counts } = await captures({
  seed,
  runs,
  maxLostMs,
  report: console.log,
  ...(only !== undefined && { only })
})
console.log(JSON.stringify(counts))
for (const fault of faults.slice(0, 20)) console.error(fault)
console.log(faults.length === 0 ? "nothing was lost" : `${faults.length} faults; again with ${again}`)
process.exitCode = faults.length === 0 ? 0 : 1
