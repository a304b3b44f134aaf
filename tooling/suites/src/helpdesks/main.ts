import { setup as buildCommands } from "@tapedeck/tsconfig/builtCommands.ts"
import { commandOptions, seedOption } from "../support/commandOptions.ts"
import { helpdesks } from "./helpdesks.ts"

/**
 * `pnpm test:helpdesks` writes recordings into eight helpdesks that refuse, fail and lose answers, by a server that is killed, and
 * reports what is missing, repeated or late; the same seed chooses the same mishaps.
 */

const { kills, recordings, seed } = commandOptions("test:helpdesks", {
  seed: seedOption(),
  recordings: { is: "number", min: 1, about: "recordings that enter folders", default: 1000 },
  kills: { is: "number", about: "kills of the server", default: 10 }
})

console.log(`seed ${seed}, ${recordings} recordings, ${kills} kills`)
buildCommands()
const { faults, ...counts } = await helpdesks({ seed, recordings, kills, tell: console.log })
console.log(JSON.stringify(counts))
for (const fault of faults.slice(0, 20)) console.error(fault)
console.log(
  faults.length === 0
    ? "no note is missing, and each late or repeated one is explained by the log"
    : `${faults.length} faults; again with --seed ${seed} --recordings ${recordings} --kills ${kills}`
)
process.exitCode = faults.length === 0 ? 0 : 1
