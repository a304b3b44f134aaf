import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { comparePeers } from "../list/compare.ts"
import { recordingsDocument, tokens } from "../list/fixtures.ts"
import { peerData } from "../list/peerData.ts"
import { getRequest, Load } from "../load/Load.ts"
import { requestCosts } from "../load/requestCosts.ts"
import { interleave, median, ratioOfMedians } from "../measure.ts"
import { inTemporaryFolder, packEmulator, type StartedProcess, startNode } from "../processes.ts"
import type { Measurements } from "../report.ts"

const recordings = 10_000
const connections = 16
const forMs = 1_000
const rounds = 9

type Peer = "tapedeck" | "fastify" | "node"
type Servers = Readonly<Record<Peer, number>>

/**
 * `GET /api/v2/recordings` out of 10,000 in memory, at 25 and at 100 a page, against fastify 5 with a response schema
 * and `node:http` with `JSON.stringify`: all in one run, over sockets, load from another process. Ours is the packed
 * emulator; it answers by the same handlers as the server.
 */
export const run = (): Promise<Measurements> =>
  inTemporaryFolder(async (folder) => {
    const emulator = packEmulator(folder)
    const started: Array<StartedProcess> = []
    const start = async (...parameters: ReadonlyArray<string>) => {
      const one = await startNode(...parameters)
      started.push(one)
      return one.firstLine
    }
    const startAll = async (pageSize: number) => {
      const fixtures = join(folder, `fixtures-${pageSize}.json`)
      writeFileSync(fixtures, JSON.stringify(recordingsDocument(recordings, pageSize)))
      const world = JSON.parse(
        await start(join(emulator, "dist/main.js"), "--port", "0", "--json", "--quiet", "--fixtures", fixtures)
      ) as { readonly base_url: string }
      const data = join(folder, `data-${pageSize}.json`)
      writeFileSync(data, JSON.stringify(await peerData(world.base_url, pageSize)))
      const peer = (file: string) => start(join(import.meta.dirname, "../..", file), data).then(Number)
      const [process] = started.slice(-1) as [StartedProcess]
      const servers: Servers = {
        tapedeck: Number(new URL(world.base_url).port),
        fastify: await peer("ondemand/list/fastify.ts"),
        node: await peer("src/list/peers/node.ts")
      }
      return { servers, tapedeck: process, fastify: started.at(-2)! }
    }

    const load = new Load()
    try {
      const at25 = await startAll(25)
      const at100 = await startAll(100)
      for (const { servers } of [at25, at100]) await comparePeers(servers)
      const rate =
        ({ servers }: { readonly servers: Servers }, peer: Peer, pageSize: number) =>
        () =>
          load.rate({ port: servers[peer], requests: listRequests(pageSize), connections, forMs })
      const samples = await interleave(
        {
          list_rps: rate(at25, "tapedeck", 25),
          list_fastify_rps: rate(at25, "fastify", 25),
          list_node_rps: rate(at25, "node", 25),
          list100_rps: rate(at100, "tapedeck", 100),
          list100_fastify_rps: rate(at100, "fastify", 100),
          list100_node_rps: rate(at100, "node", 100)
        },
        { rounds, warmUpRounds: 3 }
      )
      const requests = listRequests(25)
      const costs = {
        ...(await requestCosts("list", load, at25.tapedeck, { port: at25.servers.tapedeck, requests, connections })),
        ...(await requestCosts("list_fastify", load, at25.fastify, {
          port: at25.servers.fastify,
          requests,
          connections
        }))
      }
      return {
        results: {
          ...Object.fromEntries(
            Object.entries(samples).map(([key, rates]) => [key, { value: median(rates), unit: "requests/s" }])
          ),
          ...costs
        },
        ratios: {
          list_vs_fastify: ratioOfMedians(samples.list_rps, samples.list_fastify_rps),
          list_vs_node: ratioOfMedians(samples.list_rps, samples.list_node_rps),
          list100_vs_fastify: ratioOfMedians(samples.list100_rps, samples.list100_fastify_rps),
          list100_vs_node: ratioOfMedians(samples.list100_rps, samples.list100_node_rps)
        },
        notes: [
          "ours is the packed emulator; bodies are equal byte for byte, and a PATCH shows in the next read of each",
          `${recordings} recordings, every page in turn, an admin's and a member's reads by turns; ${connections} connections`
        ]
      }
    } finally {
      load.stop()
      for (const one of started) await one.stop()
    }
  })

/** Every page of the admin's list and of the member's, by turns. */
const listRequests = (pageSize: number): ReadonlyArray<string> =>
  Array.from({ length: 2 * Math.ceil(recordings / pageSize) }, (_, index) => {
    const member = index % 2 === 1
    const pages = Math.floor((member ? recordings / 3 : recordings) / pageSize)
    return getRequest(`/api/v2/recordings?page=${1 + ((index >> 1) % pages)}`, member ? tokens.member : tokens.admin)
  })
