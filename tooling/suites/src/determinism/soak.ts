import { setup as buildCommands } from "@tapedeck/tsconfig/builtCommands.ts"
import { commandOptions } from "../support/commandOptions.ts"
import { Model } from "./model/Model.ts"
import { playOnce, playTwice } from "./playTwice.ts"

/** Plays many seeds, each twice and against the model; ends at the first that fails, and says how to see it again. */

const { from, operations, seeds } = commandOptions("soak", {
  from: { is: "number", about: "first seed", default: Math.floor(Math.random() * 1_000_000_000) },
  seeds: { is: "number", min: 1, about: "number of seeds", default: 100 },
  operations: { is: "number", min: 1, about: "calls of each seed", default: 400 }
})

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
