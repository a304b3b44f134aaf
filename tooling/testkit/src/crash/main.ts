import { parseArgs } from "node:util"
import { cluster } from "../cluster/cluster.ts"
import type { Findings } from "./audit.ts"
import { crash } from "./crash.ts"

/**
 * `pnpm test:crash`: kills a server under load, and says what came of it; the same seed chooses the same moments. With
 * `--store postgres` as many as `--nodes` on one database, which is crashed too, as are their connections to it.
 */

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000_000)) },
    store: { type: "string", default: "sqlite" },
    kills: { type: "string", default: "50" },
    nodes: { type: "string", default: "3" },
    disturbances: { type: "string", default: "40" },
    "real-leases": { type: "boolean", default: false }
  }
})
const [seed, kills, nodes, disturbances] = [values.seed, values.kills, values.nodes, values.disturbances].map(
  Number
) as [number, number, number, number]
const isCluster = values.store === "postgres"
const again = isCluster
  ? `--store postgres --nodes ${nodes} --disturbances ${disturbances}${values["real-leases"] ? " --real-leases" : ""}`
  : `--kills ${kills}`

console.log(`seed ${seed}, ${isCluster ? `${nodes} nodes, ${disturbances} disturbances` : `${kills} kills`}`)
const found: Findings = isCluster
  ? await cluster({ seed, nodes, disturbances, realLeases: values["real-leases"], tell: console.log })
  : await crash({ seed, kills, tell: console.log })
const { faults, ...counts } = found
console.log(JSON.stringify(counts))
for (const fault of faults.slice(0, 20)) console.error(fault)
console.log(faults.length === 0 ? "nothing was lost" : `${faults.length} faults; again with --seed ${seed} ${again}`)
process.exitCode = faults.length === 0 ? 0 : 1
