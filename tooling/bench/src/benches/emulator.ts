import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { token, uuidOf, worldDocument } from "../emulator/fixtures.ts"
import { comparePeers, residentMegabytes } from "../emulator/peers/compare.ts"
import { vitestFiles } from "../emulator/vitestFiles.ts"
import { getRequest, Load } from "../load/Load.ts"
import { interleave, median, ratioOfMedians, startUpMs } from "../measure.ts"
import { asJavaScript, freePort, inTemporaryFolder, packEmulator, startNode } from "../processes.ts"
import type { Measurements } from "../report.ts"
import type { BenchOptions } from "../runner.ts"

/** `rounds`: of starts; `vitest`: rounds of the vitest files; `only_vitest`: 1 measures those alone. */
export const options = { rounds: 11, vitest: 5, only_vitest: 0 } satisfies BenchOptions

const here = (name: string) => asJavaScript(join(import.meta.dirname, "../emulator", name))

/**
 * The emulator as it is packed: how soon it is there, how much it answers, what it weighs, and how fast virtual time
 * goes. Beside it, in the same run, `node:http` does the same where it can.
 */
export const run = ({ only_vitest, rounds, vitest }: BenchOptions): Promise<Measurements> =>
  inTemporaryFolder(async (folder) => {
    const emulator = packEmulator(folder)
    const files = await vitestFiles(emulator, folder, vitest!)
    const filesResults = {
      vitest_files_ms: { value: median(files.vitest_files_ms), unit: "ms" },
      vitest_files_msw_ms: { value: median(files.vitest_files_msw_ms), unit: "ms" }
    }
    const filesRatios = { vitest_files_vs_msw: ratioOfMedians(files.vitest_files_msw_ms, files.vitest_files_ms) }
    if (only_vitest === 1) return { results: filesResults, ratios: filesRatios }
    const starts = await startUps(emulator, rounds!)
    const inside = {
      ...(await insideOf(emulator, "first")),
      ...(await insideOf(emulator, "replay")),
      ...(await insideOf(emulator, "deliveries"))
    }
    const { megabytes, rates } = await underLoad(emulator, folder)
    const peers = await comparePeers(emulator, folder)
    const ms = (value: number) => ({ value, unit: "ms" })
    return {
      results: {
        start_ms: ms(median(starts.start_ms)),
        node_start_ms: ms(median(starts.node_start_ms)),
        in_process_ms: ms(median(starts.in_process_ms)),
        second_ms: ms(inside.second_ms!),
        later_ms: ms(inside.later_ms!),
        replay_ms: ms(inside.replay_ms!),
        first_replay_ms: ms(inside.first_replay_ms!),
        attempts_per_s: { value: inside.attempts_per_s!, unit: "attempts/s" },
        reset_ms: ms(inside.reset_ms!),
        rps: { value: median(rates.rps), unit: "requests/s" },
        node_rps: { value: median(rates.node_rps), unit: "requests/s" },
        rss_mb: { value: megabytes, unit: "MB" },
        ...filesResults,
        ...peers.results
      },
      ratios: {
        rps_vs_node: ratioOfMedians(rates.rps, rates.node_rps),
        start_vs_node: ratioOfMedians(starts.start_ms, starts.node_start_ms),
        ...filesRatios,
        ...peers.ratios
      },
      notes: [
        "ours is the packed emulator; start-ups are from spawn to the first 200, in_process_ms from spawn to the first answer",
        "second_ms is the second emulator in its process, later_ms those after it",
        "rps: GET of one recording; rss_mb: after 100,000 requests and 10,000 deliveries of six attempts each",
        "peers: one thing is read by its id, of a hundred; emulate 0.12.2 as Stripe, Mockoon with a template, MSW in process",
        "vitest_files_*: a vitest run of 20 files that each start the emulator in process (or MSW) and read two recordings",
        "read_*: ours doing that; ratios are above 1 where we are ahead; memory after 20,000 reads, reads per second after that"
      ]
    }
  })

const startUps = async (emulator: string, rounds: number) => {
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const command = process.execPath
  const [nodePeer, inProcess] = [here("nodePeer.ts"), here("inProcess.ts")]
  return interleave(
    {
      start_ms: () =>
        startUpMs({
          command,
          parameters: [join(emulator, "dist/main.js"), "--port", String(port)],
          ready: { url: `${base}/_emulator` }
        }),
      node_start_ms: () => startUpMs({ command, parameters: [nodePeer, String(port)], ready: { url: `${base}/` } }),
      in_process_ms: () =>
        startUpMs({ command, parameters: [inProcess, emulator, "first"], ready: { output: /answered/ } })
    },
    { rounds }
  )
}

/** What a fresh process measures of itself. */
const insideOf = async (emulator: string, measure: string): Promise<Record<string, number>> => {
  const { stdout } = await promisify(execFile)(process.execPath, [here("inProcess.ts"), emulator, measure])
  return JSON.parse(stdout.trim().split("\n").at(-1)!) as Record<string, number>
}

const underLoad = async (emulator: string, folder: string) => {
  const deliveries = 10_000
  const requests = 100_000
  const fixtures = join(folder, "fixtures.json")
  writeFileSync(fixtures, JSON.stringify(worldDocument(deliveries)))
  const ours = await startNode(
    join(emulator, "dist/main.js"),
    "--port",
    "0",
    "--json",
    "--quiet",
    "--fixtures",
    fixtures
  )
  const peerPort = await freePort()
  const peer = await startNode(here("nodePeer.ts"), String(peerPort))
  const load = new Load()
  try {
    const { base_url } = JSON.parse(ours.firstLine) as { readonly base_url: string }
    const port = Number(new URL(base_url).port)
    const order = {
      requests: Array.from({ length: 100 }, (_, index) => getRequest(`/api/v2/recordings/${uuidOf(index)}`, token)),
      connections: 16,
      forMs: 1_000
    }
    let answered = 0
    const rates = await interleave(
      {
        rps: async () => {
          const report = await load.run({ ...order, port })
          answered += report.answered
          return (report.answered / report.elapsedMs) * 1000
        },
        node_rps: () => load.rate({ ...order, port: peerPort })
      },
      { rounds: 7, warmUpRounds: 2 }
    )
    while (answered < requests) answered += (await load.run({ ...order, port })).answered
    await deliver(base_url, deliveries)
    return { rates, megabytes: residentMegabytes(ours.child.pid!) }
  } finally {
    load.stop()
    await ours.stop()
    await peer.stop()
  }
}

const deliver = async (baseUrl: string, count: number) => {
  const post = async (path: string, body: unknown) => {
    const headers = { "content-type": "application/json" }
    const response = await fetch(`${baseUrl}/_emulator${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    return JSON.parse(text) as { readonly fired: ReadonlyArray<unknown> }
  }
  for (let index = 0; index < count; index++) await post("/folders/f/recordings", { recording: uuidOf(index) })
  for (let fired = 0; fired < 6 * count; ) fired += (await post("/clock/advance", { until: "idle" })).fired.length
}
