import { join } from "node:path"
import { startPostgres } from "@tapedeck/suites/postgres"
import { Load } from "../load/Load.ts"
import { median, timed } from "../measure.ts"
import { buildServer, inTemporaryFolder, type StartedProcess } from "../processes.ts"
import type { Measurements } from "../report.ts"
import type { BenchOptions } from "../runner.ts"
import { growth, pageSize, type Sized } from "../server/growth.ts"
import { seedPostgres } from "../server/seedPostgres.ts"
import { serveOnPostgres } from "../server/serve.ts"

export const options = { recordings: 1_000_000 } satisfies BenchOptions

const small = 1_000
const among = { accounts: 1_000, ofOthers: 3 }
const connections = 16

/** A server on a machine with some memory; it syncs each commit. */
const settings = { shared_buffers: "512MB", max_wal_size: "4GB" }

/**
 * The server as it is published, on PostgreSQL: what a request costs with 1,000,000 recordings in one account among 1,000,
 * and with 1,000 among as many. Both databases are on one PostgreSQL, each with a server of its own, asked in turns.
 */
export const run = ({ recordings }: BenchOptions): Promise<Measurements> =>
  inTemporaryFolder(async (folder) => {
    const program = buildServer()
    const load = new Load()
    const started: Array<StartedProcess> = []
    const postgres = await startPostgres(settings)
    const sized = async (count: number) => {
      const { url } = await postgres.createDatabase()
      const seededMs = await timed(() => seedPostgres(url, { recordings: count, ...among }))
      const server = await serveOnPostgres(program, join(folder, `data-${started.length}`), url)
      started.push(server)
      return { port: server.port, recordings: count, seededMs } satisfies Sized & { readonly seededMs: number }
    }

    try {
      const sizes = { small: await sized(small), large: await sized(recordings!) }
      const grown = await growth(load, sizes, { connections, forMs: 500, rounds: 7 })
      const rates = Object.entries(grown.samples).map(
        ([key, samples]) => [`${key}_rps`, { value: median(samples), unit: "requests/s" }] as const
      )
      return {
        results: { ...Object.fromEntries(rates), seeded_s: { value: sizes.large.seededMs / 1000, unit: "s" } },
        ratios: grown.ratios,
        notes: [
          `growth_*: time at ${recordings} recordings over time at ${small}, ${pageSize} a page, ${connections} connections`,
          `each in one account, among ${among.accounts - 1} with ${among.ofOthers} each; both databases on one PostgreSQL`,
          "the tables were vacuumed and analysed after they were filled, as autovacuum does"
        ]
      }
    } finally {
      load.stop()
      for (const one of started) await one.stop()
      await postgres.close()
    }
  })
