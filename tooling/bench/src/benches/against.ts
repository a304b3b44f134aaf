import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { startPostgres } from "@tapedeck/suites/postgres"
import { ContenderProcess } from "../dispatch/ContenderProcess.ts"
import { inField } from "../dispatch/field.ts"
import { recordingsDocument, tokens } from "../list/fixtures.ts"
import { getRequest, Load } from "../load/Load.ts"
import { interleave, median, ratioOfMedians } from "../measure.ts"
import { packEmulator, type StartedProcess, startNode } from "../processes.ts"
import type { Measurements } from "../report.ts"
import type { BenchOptions } from "../runner.ts"

/** The second checkout, in which `pnpm install` has run. */
export const operand = "PATH"

/** The engine without sending makes a delivery in a quarter of the time, so its rounds have more: short ones differ by a half. */
const engineFactor = 3

/** `warmups`: rounds that are not counted; `deliveries`: in a round of dispatch, a third of those in one of the engine. */
export const options = { rounds: 9, warmups: 8, deliveries: 8_000 } satisfies BenchOptions

/** Processes of each emulator: one is up to 4 % faster than another with the same code. */
const processes = 3

const pageSize = 25
const recordings = 10_000

/**
 * List, dispatch and engine of this checkout and of a second one, interleaved in one run: the packed emulators with the same
 * recordings, and the workers on one PostgreSQL. The ratios are above 1 if this checkout is faster.
 */
export const run = ({ deliveries, rounds, warmups }: BenchOptions, path = ""): Promise<Measurements> =>
  inField(async ({ authority, folder, url }) => {
    const checkouts = { ours: resolve(import.meta.dirname, "../../../.."), other: resolve(path) }
    if (!existsSync(join(checkouts.other, "node_modules"))) throw new Error(`${path}: not a checkout with node_modules`)
    const postgres = await startPostgres({ shared_buffers: "512MB", max_wal_size: "4GB" })
    const load = new Load()
    const servers: Array<StartedProcess> = []
    const workers: Array<ContenderProcess> = []
    const fixtures = join(folder, "fixtures.json")
    writeFileSync(fixtures, JSON.stringify(recordingsDocument(recordings, pageSize)))

    const list = async (name: keyof typeof checkouts) => {
      mkdirSync(join(folder, name))
      const command = join(packEmulator(join(folder, name), checkouts[name]), "dist/main.js")
      const ports: Array<number> = []
      while (ports.length < processes) {
        const server = await startNode(command, "--port", "0", "--json", "--quiet", "--fixtures", fixtures)
        servers.push(server)
        const { base_url } = JSON.parse(server.firstLine) as { readonly base_url: string }
        ports.push(Number(new URL(base_url).port))
      }
      return async () => {
        let sum = 0
        for (const port of ports)
          sum += await load.rate({ port, requests: listRequests, connections: 16, forMs: 1_000 })
        return sum / processes
      }
    }
    const worker = async (name: keyof typeof checkouts, count: number, ...modes: ReadonlyArray<string>) => {
      const program = join(checkouts[name], "tooling/bench/src/dispatch/ours")
      const database = (await postgres.createDatabase()).url
      const contender = await ContenderProcess.start({
        program,
        parameters: ["postgres", database, url, ...modes],
        authority
      })
      workers.push(contender)
      return () => contender.play(count)
    }

    try {
      const samples = await interleave(
        {
          list: await list("ours"),
          list_other: await list("other"),
          dispatch: await worker("ours", deliveries!),
          dispatch_other: await worker("other", deliveries!),
          engine: await worker("ours", engineFactor * deliveries!, "engine"),
          engine_other: await worker("other", engineFactor * deliveries!, "engine")
        },
        { rounds: rounds!, warmUpRounds: warmups! }
      )
      const results = Object.entries(samples).map(([key, rates]) => {
        const unit = key.startsWith("list") ? "requests/s" : "deliveries/s"
        return [key, { value: median(rates), unit }] as const
      })
      return {
        results: Object.fromEntries(results),
        ratios: {
          list_vs_other: ratioOfMedians(samples.list, samples.list_other),
          dispatch_vs_other: ratioOfMedians(samples.dispatch, samples.dispatch_other),
          engine_vs_other: ratioOfMedians(samples.engine, samples.engine_other)
        },
        notes: [`the other checkout: ${checkouts.other}`]
      }
    } finally {
      load.stop()
      for (const server of servers) await server.stop()
      for (const contender of workers) await contender.stop()
      await postgres.close()
    }
  })

const listRequests = Array.from({ length: 400 }, (_, index) =>
  getRequest(`/api/v2/recordings?page=${1 + ((index >> 1) % 100)}`, index % 2 === 1 ? tokens.member : tokens.admin)
)
