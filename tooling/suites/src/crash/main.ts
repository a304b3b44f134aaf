import { parseArgs } from "node:util"
import { setup as buildCommands } from "@tapedeck/tsconfig/builtCommands.ts"
import { cluster } from "../cluster/cluster.ts"
import { crash } from "./crash.ts"

/**
 * `pnpm test:crash` kills a server under load, and reports what was lost; the same seed chooses the same moments. With
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

interface Crash {
  /** What is done, after the seed. */
  readonly title: string
  /** The options that repeat it. */
  readonly options: string
  readonly run: () => Promise<{ readonly faults: ReadonlyArray<string> }>
}

const ofCluster: Crash = {
  title: `${nodes} nodes, ${disturbances} disturbances`,
  options: `--store postgres --nodes ${nodes} --disturbances ${disturbances}${values["real-leases"] ? " --real-leases" : ""}`,
  run: () => cluster({ seed, nodes, disturbances, realLeases: values["real-leases"], tell: console.log })
}
const ofServer: Crash = {
  title: `${kills} kills`,
  options: `--kills ${kills}`,
  run: () => crash({ seed, kills, tell: console.log })
}

const { options, run, title } = values.store === "postgres" ? ofCluster : ofServer
console.log(`seed ${seed}, ${title}`)
buildCommands()
const { faults, ...counts } = await run()
console.log(JSON.stringify(counts))
for (const fault of faults.slice(0, 20)) console.error(fault)
console.log(faults.length === 0 ? "nothing was lost" : `${faults.length} faults; again with --seed ${seed} ${options}`)
process.exitCode = faults.length === 0 ? 0 : 1
