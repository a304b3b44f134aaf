import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { startPostgres } from "@tapedeck/suites/postgres"
import { spoken, tokens } from "../list/fixtures.ts"
import { interleave, median, ratioOfMedians, timed } from "../measure.ts"
import { buildServer, inTemporaryFolder, type StartedProcess, startNode } from "../processes.ts"
import type { Measurements } from "../report.ts"
import type { BenchOptions } from "../runner.ts"
import { seedPostgres } from "../server/seedPostgres.ts"
import { serve, serveOnPostgres } from "../server/serve.ts"

/** `sqlite` and `postgres`: 0 leaves the store out. */
export const options = { recordings: 1_000_000, words: 40, rounds: 7, sqlite: 1, postgres: 1 } satisfies BenchOptions

const small = 1_000

/** Requests of one sample, one after another, each with its answer. */
const requests = 4

/** Searches for what few, some and all recordings have, in fields and in transcripts. */
const searches: Readonly<Record<string, string>> = {
  ticket: "search=zendesk 40500",
  said_by_few: "search=word19000",
  said_by_some: "search=ledger refuses",
  said_by_all: "search=button",
  phrase_of_some: `search="${spoken.hundredth}"`,
  phrase_of_all: `search="${spoken.all}"`,
  all_by_title: "search=button&sort=title",
  frequent_and_few: "search=button ledger word7",
  owner: "search=bob",
  nowhere: "search=nowhere"
}

const names = Object.keys(searches)
/** Milliseconds that a search takes. */
const search = async (name: string, port: number): Promise<number> => {
  const url = `http://127.0.0.1:${port}/api/settings/recordings?${encodeURI(searches[name]!)}`
  const all = await timed(async () => {
    for (let asked = 0; asked < requests; asked += 1) {
      const response = await fetch(url, { headers: { authorization: `Bearer ${tokens.admin}` } })
      const body = await response.text()
      if (!response.ok) throw new Error(`${url}: ${response.status} ${body.slice(0, 200)}`)
    }
  })
  return all / requests
}

/**
 * The first page of a search among 1,000,000 recordings with transcripts, and among 1,000: the server as it is published, on SQLite and on
 * PostgreSQL, asked in turns.
 */
export const run = ({ recordings = 0, rounds = 0, words = 0, ...stores }: BenchOptions): Promise<Measurements> =>
  inTemporaryFolder(async (folder) => {
    const program = buildServer()
    const started: Array<StartedProcess> = []
    const keep = <Started extends StartedProcess>(one: Started): Started => {
      started.push(one)
      return one
    }
    const postgres = await startPostgres({
      shared_buffers: "512MB",
      max_wal_size: "4GB",
      maintenance_work_mem: "512MB"
    })
    const seconds: Record<string, number> = {}
    const seededIn = async (name: string, seed: () => Promise<unknown>) => {
      seconds[`seeded_${name}_s`] = (await timed(seed)) / 1_000
    }
    const onSqlite = async (count: number) => {
      const directory = join(folder, `data-${started.length}`)
      mkdirSync(directory)
      const seed = join(import.meta.dirname, "../server/seed.ts")
      await seededIn(`sqlite_${count}`, () =>
        startNode("--conditions=source", seed, directory, String(count), String(words))
      )
      return keep(await serve(program, directory))
    }
    const onPostgres = async (count: number) => {
      const { url } = await postgres.createDatabase()
      await seededIn(`postgres_${count}`, () =>
        seedPostgres(url, { recordings: count, accounts: 100, ofOthers: 3, words })
      )
      return keep(await serveOnPostgres(program, join(folder, `data-${started.length}`), url))
    }
    const growthOf = async (store: string, start: (count: number) => Promise<{ readonly port: number }>) => {
      const ports = { small: (await start(small)).port, large: (await start(recordings)).port }
      const samples = await interleave(
        Object.fromEntries(
          names.flatMap((name) =>
            Object.entries(ports).map(([size, port]) => [`${size}_${name}`, () => search(name, port)] as const)
          )
        ),
        { rounds, warmUpRounds: 1 }
      )
      const ms = Object.entries(samples).map(
        ([key, all]) => [`${store}_${key}_ms`, { value: median(all), unit: "ms" }] as const
      )
      const ratios = names.map(
        (name) =>
          [`growth_${store}_${name}`, ratioOfMedians(samples[`large_${name}`]!, samples[`small_${name}`]!)] as const
      )
      return { results: Object.fromEntries(ms), ratios: Object.fromEntries(ratios) }
    }

    try {
      const nothing = { results: {}, ratios: {} }
      const sqlite = stores.sqlite === 0 ? nothing : await growthOf("sqlite", onSqlite)
      for (const one of started) await one.stop()
      const inPostgres = stores.postgres === 0 ? nothing : await growthOf("postgres", onPostgres)
      const seeding = Object.entries(seconds).map(([key, value]) => [key, { value, unit: "s" }] as const)
      return {
        results: { ...sqlite.results, ...inPostgres.results, ...Object.fromEntries(seeding) },
        ratios: { ...sqlite.ratios, ...inPostgres.ratios },
        notes: [
          `growth_*: time at ${recordings} recordings over time at ${small}; transcripts of ${words} words`,
          "a request is the console's: 25 recordings with the sentences that match, and the count"
        ]
      }
    } finally {
      for (const one of started) await one.stop()
      await postgres.close()
    }
  })
