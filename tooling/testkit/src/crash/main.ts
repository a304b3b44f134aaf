import { parseArgs } from "node:util"
import { crash } from "./crash.ts"

/** `pnpm test:crash`: kills a server under load, and says what came of it; the same seed chooses the same moments. */

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000_000)) },
    kills: { type: "string", default: "50" }
  }
})
const [seed, kills] = [Number(values.seed), Number(values.kills)]

console.log(`seed ${seed}, ${kills} kills`)
const { faults, ...counts } = await crash({ seed, kills, tell: console.log })
console.log(JSON.stringify(counts))
for (const fault of faults.slice(0, 20)) console.error(fault)
console.log(
  faults.length === 0 ? "nothing was lost" : `${faults.length} faults; again with --seed ${seed} --kills ${kills}`
)
process.exitCode = faults.length === 0 ? 0 : 1
