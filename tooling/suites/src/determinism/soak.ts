import { parseArgs } from "node:util"
import { setup as buildCommands } from "@tapedeck/tsconfig/builtCommands.ts"
import { Model } from "./model/Model.ts"
import { playOnce, playTwice } from "./playTwice.ts"

/** Plays many seeds, each twice and against the model; ends at the first that fails, and says how to see it again. */

const { values } = parseArgs({
  options: {
    from: { type: "string", default: String(Math.floor(Math.random() * 1_000_000_000)) },
    seeds: { type: "string", default: "100" },
    operations: { type: "string", default: "400" }
  }
})
const [from, seeds, operations] = [Number(values.from), Number(values.seeds), Number(values.operations)]

buildCommands()
console.log(`${seeds} seeds from ${from}, ${operations} calls each`)
for (let seed = from; seed < from + seeds; seed += 1) {
  try {
    await playOnce({ seed, operations }, ({ start }) => new Model(start))
    const statuses = await playTwice({ seed, operations })
    console.log(`seed ${seed}: alike, and as the model has it; ${JSON.stringify(statuses)}`)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
}
