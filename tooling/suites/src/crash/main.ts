import { setup as buildCommands } from "@tapedeck/tsconfig/builtCommands.ts"
import { cluster } from "../cluster/cluster.ts"
import { commandOptions, seedOption } from "../support/commandOptions.ts"
import { crash } from "./crash.ts"

/**
 * `pnpm test:crash` kills a server under load, and reports what was lost; the same seed chooses the same moments. With
 * `--store postgres` as many as `--nodes` on one database, which is crashed too, as are their connections to it.
 */

const {
  "real-leases": realLeases,
  disturbances,
  kills,
  nodes,
  seed,
  store
} = commandOptions("test:crash", {
  seed: seedOption(),
  store: { is: "name", of: ["sqlite", "postgres"], about: "database", default: "sqlite" },
  kills: { is: "number", min: 1, about: "kills of the server on SQLite", default: 50 },
  nodes: { is: "number", min: 1, about: "nodes on PostgreSQL", default: 3 },
  disturbances: { is: "number", min: 1, about: "disturbances on PostgreSQL", default: 40 },
  "real-leases": { is: "flag", about: "leases as long as in operation, on PostgreSQL" }
})

interface Crash {
  /** What is done, after the seed. */
  readonly title: string
  /** The options that repeat it. */
  readonly options: string
  readonly run: () => Promise<{ readonly faults: ReadonlyArray<string> }>
}

const ofCluster: Crash = {
  title: `${nodes} nodes, ${disturbances} disturbances`,
  options: `--store postgres --nodes ${nodes} --disturbances ${disturbances}${realLeases ? " --real-leases" : ""}`,
  run: () => cluster({ seed, nodes, disturbances, realLeases, tell: console.log })
}
const ofServer: Crash = {
  title: `${kills} kills`,
  options: `--kills ${kills}`,
  run: () => crash({ seed, kills, tell: console.log })
}

const { options, run, title } = store === "postgres" ? ofCluster : ofServer
console.log(`seed ${seed}, ${title}`)
buildCommands()
const { faults, ...counts } = await run()
console.log(JSON.stringify(counts))
for (const fault of faults.slice(0, 20)) console.error(fault)
console.log(faults.length === 0 ? "nothing was lost" : `${faults.length} faults; again with --seed ${seed} ${options}`)
process.exitCode = faults.length === 0 ? 0 : 1
