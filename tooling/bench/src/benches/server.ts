import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { comparePeers } from "../list/compare.ts"
import { recordingsDocument, tokens } from "../list/fixtures.ts"
import { peerData } from "../list/peerData.ts"
import { getRequest, Load } from "../load/Load.ts"
import { requestCosts } from "../load/requestCosts.ts"
import { interleave, median, ratioOfMedians, startUpMs } from "../measure.ts"
import { buildServer, freePort, inTemporaryFolder, type StartedProcess, startNode } from "../processes.ts"
import type { Measurements } from "../report.ts"
import { growth, pageSize, type Sized } from "../server/growth.ts"

const [small, large] = [1_000, 1_000_000]
const compared = 10_000
const connections = 16

const source = (path: string) => join(import.meta.dirname, "..", path)

/**
 * The server as it is published, on SQLite: what a request costs with 1,000,000 recordings in an account and with 1,000;
 * the list against fastify 5 on `node:sqlite`; and the start, beside `node:http`'s.
 */
export const run = (): Promise<Measurements> =>
  inTemporaryFolder(async (folder) => {
    const program = buildServer()
    const load = new Load()
    const started: Array<StartedProcess> = []
    const start = async (...parameters: ReadonlyArray<string>) => {
      const one = await startNode(...parameters)
      started.push(one)
      return one.firstLine
    }
    const stopAll = async () => {
      for (const one of started.splice(0)) await one.stop()
    }
    /** Gives the server's port. */
    const serve = async (directory: string, ...more: ReadonlyArray<string>) => {
      const line = await start(program, "serve", "--data", directory, "--port", "0", "--json", ...more)
      return Number(new URL((JSON.parse(line) as { readonly base_url: string }).base_url).port)
    }
    const seeded = async (recordings: number) => {
      const directory = join(folder, `data-${recordings}`)
      mkdirSync(directory)
      const seeding = await startNode("--conditions=source", source("server/seed.ts"), directory, String(recordings))
      return { directory, recordings, savedPerSecond: Number(seeding.firstLine) }
    }
    const sized = async ({ directory, recordings }: { readonly directory: string; readonly recordings: number }) => {
      const port = await serve(directory, "--page-size", String(pageSize))
      return { port, recordings } satisfies Sized
    }

    try {
      const smallData = await seeded(small)
      const largeData = await seeded(large)
      const sizes = { small: await sized(smallData), large: await sized(largeData) }
      const grown = await growth(load, sizes, { connections, forMs: 500, rounds: 7 })
      await stopAll()

      const peersOf = async (items: number) => {
        const fixtures = join(folder, `fixtures-${items}.json`)
        writeFileSync(fixtures, JSON.stringify(recordingsDocument(compared, items)))
        const tapedeck = await serve(join(folder, `list-${items}`), "--fixtures", fixtures)
        const data = join(folder, `peer-${items}.json`)
        writeFileSync(data, JSON.stringify(await peerData(`http://127.0.0.1:${tapedeck}`, items)))
        const peer = source("../ondemand/list/fastifySqlite.ts")
        const fastify = Number(await start(peer, data, join(folder, `peer-${items}.db`)))
        await comparePeers({ tapedeck, fastify })
        return { tapedeck, fastify, processes: started.slice(-2) as [StartedProcess, StartedProcess] }
      }
      const at25 = await peersOf(25)
      const at100 = await peersOf(100)
      const rate = (port: number, items: number) => () =>
        load.rate({ port, requests: listRequests(items), connections, forMs: 1_000 })
      const lists = await interleave(
        {
          list_rps: rate(at25.tapedeck, 25),
          list_fastify_rps: rate(at25.fastify, 25),
          list100_rps: rate(at100.tapedeck, 100),
          list100_fastify_rps: rate(at100.fastify, 100)
        },
        { rounds: 9, warmUpRounds: 3 }
      )
      const requests = listRequests(25)
      const costs = {
        ...(await requestCosts("list", load, at25.processes[0], { port: at25.tapedeck, requests, connections })),
        ...(await requestCosts("list_fastify", load, at25.processes[1], { port: at25.fastify, requests, connections }))
      }
      await stopAll()

      const starts = await startUps(program, smallData.directory)
      const rps = (samples: ReadonlyArray<number>) => ({ value: median(samples), unit: "requests/s" })
      const ms = (samples: ReadonlyArray<number>) => ({ value: median(samples), unit: "ms" })
      return {
        results: {
          ...Object.fromEntries(Object.entries(lists).map(([key, samples]) => [key, rps(samples)])),
          ...Object.fromEntries(Object.entries(grown.samples).map(([key, samples]) => [`${key}_rps`, rps(samples)])),
          ...costs,
          saved_per_s: { value: largeData.savedPerSecond, unit: "recordings/s" },
          start_ms: ms(starts.start_ms),
          node_start_ms: ms(starts.node_start_ms),
          start_behind_node_ms: { value: median(starts.start_ms) - median(starts.node_start_ms), unit: "ms" }
        },
        ratios: {
          ...grown.ratios,
          list_vs_fastify: ratioOfMedians(lists.list_rps, lists.list_fastify_rps),
          list100_vs_fastify: ratioOfMedians(lists.list100_rps, lists.list100_fastify_rps)
        },
        notes: [
          `growth_*: time at ${large} recordings over time at ${small}, ${pageSize} a page, ${connections} connections`,
          `list_*: ${compared} recordings, the first 20 pages of an admin's and a member's list by turns, at 25 and at 100`,
          "the peer caches counts as we do, but no rows: it reads and serialises for each request what we cache decoded",
          "bodies are equal byte for byte, and a PATCH shows in the next read of each",
          "start: to the first 200 for page 1 of the list; the peer's is node:http with one statement on the same file"
        ]
      }
    } finally {
      load.stop()
      await stopAll()
    }
  })

/** The first pages, which people read, so that neither side skips many records: the admin's and the member's in turn. */
const listRequests = (items: number): ReadonlyArray<string> => {
  const pages = Math.min(20, Math.floor(compared / 3 / items))
  return Array.from({ length: 2 * pages }, (_, index) =>
    getRequest(`/api/v2/recordings?page=${1 + (index >> 1)}`, index % 2 === 1 ? tokens.member : tokens.admin)
  )
}

const startUps = async (program: string, directory: string) => {
  const port = await freePort()
  const ready = { url: `http://127.0.0.1:${port}/api/v2/recordings`, token: tokens.admin }
  const command = process.execPath
  return interleave(
    {
      start_ms: () =>
        startUpMs({ command, parameters: [program, "serve", "--data", directory, "--port", String(port)], ready }),
      node_start_ms: () =>
        startUpMs({
          command,
          parameters: [source("server/nodePeer.ts"), join(directory, "tapedeck.db"), String(port)],
          ready
        })
    },
    { rounds: 11 }
  )
}
