import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { getRequest, Load } from "../../load/Load.ts"
import { interleave, median, startUpMs } from "../../measure.ts"
import { asJavaScript, freePort } from "../../processes.ts"
import type { Measurements } from "../../report.ts"
import { emulate, mockoon, type ReadServer, tapedeck } from "./servers.ts"

const startRounds = 7
const loadRounds = 3
/** So many reads each server has answered when its memory is read, and before its reads are counted. */
const reads = 20_000

/**
 * The packed emulator and its peers, from each of which one record is read by its id: start to the first answer, memory after the same
 * number of reads, and reads per second from there on. The rounds of all are interleaved. MSW opens no socket: it is
 * measured in a process that asks itself.
 */
export const comparePeers = async (
  emulator: string,
  folder: string
): Promise<Pick<Measurements, "results" | "ratios">> => {
  const servers = { tapedeck: tapedeck(emulator, folder), emulate: emulate(folder), mockoon: mockoon(folder) }
  const starts = await startUps(servers)
  const loaded = await underLoad(servers)
  const msw = await mswLoad()
  const ms = (samples: ReadonlyArray<number>) => ({ value: median(samples), unit: "ms" })
  const rps = (value: number) => ({ value, unit: "requests/s" })
  const mb = (value: number) => ({ value, unit: "MB" })
  return {
    results: {
      read_start_ms: ms(starts.tapedeck),
      start_emulate_ms: ms(starts.emulate),
      start_mockoon_ms: ms(starts.mockoon),
      start_msw_ms: ms(starts.msw),
      read_rps: rps(loaded.rps.tapedeck),
      rps_emulate: rps(loaded.rps.emulate),
      rps_mockoon: rps(loaded.rps.mockoon),
      rps_msw: rps(msw.rps),
      read_rss_mb: mb(loaded.rss.tapedeck),
      rss_emulate_mb: mb(loaded.rss.emulate),
      rss_mockoon_mb: mb(loaded.rss.mockoon),
      rss_msw_mb: mb(msw.rss_mb)
    },
    // Above 1: we are ahead.
    ratios: {
      start_vs_emulate: median(starts.emulate) / median(starts.tapedeck),
      start_vs_mockoon: median(starts.mockoon) / median(starts.tapedeck),
      rps_vs_emulate: loaded.rps.tapedeck / loaded.rps.emulate,
      rps_vs_mockoon: loaded.rps.tapedeck / loaded.rps.mockoon,
      rss_vs_emulate: loaded.rss.emulate / loaded.rss.tapedeck,
      rss_vs_mockoon: loaded.rss.mockoon / loaded.rss.tapedeck
    }
  }
}

type Named<A> = Readonly<Record<"tapedeck" | "emulate" | "mockoon", A>>

const mswFile = () => asJavaScript(join(import.meta.dirname, "../../../ondemand/emulator/msw.ts"))

/** The first answer is one to the read itself, with its token. */
const startUps = async (servers: Named<ReadServer>) => {
  const port = await freePort()
  const msw = mswFile()
  const startUp =
    ({ parameters, reads: [first] }: ReadServer) =>
    () =>
      startUpMs({
        command: process.execPath,
        parameters: parameters(port),
        ready: { url: `http://127.0.0.1:${port}${first!.path}`, token: first!.token }
      })
  return interleave(
    {
      tapedeck: startUp(servers.tapedeck),
      emulate: startUp(servers.emulate),
      mockoon: startUp(servers.mockoon),
      msw: () => startUpMs({ command: process.execPath, parameters: [msw, "first"], ready: { output: /answered/ } })
    },
    { rounds: startRounds }
  )
}

const underLoad = async (servers: Named<ReadServer>) => {
  const load = new Load()
  const running: Array<ChildProcess> = []
  const start = async ({ parameters, reads }: ReadServer) => {
    const port = await freePort()
    const child = spawn(process.execPath, parameters(port), { stdio: "ignore" })
    running.push(child)
    const order = {
      port,
      requests: reads.map(({ path, token }) => getRequest(path, token)),
      connections: 16
    }
    await answers(`http://127.0.0.1:${port}${reads[0]!.path}`, reads[0]!.token)
    return { order, pid: child.pid! }
  }
  try {
    const started = {
      tapedeck: await start(servers.tapedeck),
      emulate: await start(servers.emulate),
      mockoon: await start(servers.mockoon)
    }
    const turn = async ({ order }: (typeof started)["tapedeck"], forMs: number) => {
      const { answered, elapsedMs } = await load.run({ ...order, forMs })
      return { answered, perSecond: (answered / elapsedMs) * 1000 }
    }
    const warmUp = async (one: (typeof started)["tapedeck"]) => {
      for (let answered = 0; answered < reads; ) answered += (await turn(one, 200)).answered
      return residentMegabytes(one.pid)
    }
    const rss = {
      tapedeck: await warmUp(started.tapedeck),
      emulate: await warmUp(started.emulate),
      mockoon: await warmUp(started.mockoon)
    }
    const rate = (one: (typeof started)["tapedeck"]) => async () => (await turn(one, 1_000)).perSecond
    const rates = await interleave(
      { tapedeck: rate(started.tapedeck), emulate: rate(started.emulate), mockoon: rate(started.mockoon) },
      { rounds: loadRounds }
    )
    return { rps: each((name) => median(rates[name])), rss }
  } finally {
    load.stop()
    for (const child of running) await ended(child)
  }
}

const each = <A>(of: (name: keyof Named<unknown>) => A): Named<A> => ({
  tapedeck: of("tapedeck"),
  emulate: of("emulate"),
  mockoon: of("mockoon")
})

const ended = async (child: ChildProcess) => {
  const exited = once(child, "exit")
  child.kill("SIGKILL")
  await exited
}

const answers = async (url: string, token: string): Promise<void> => {
  for (let tries = 0; tries < 300; tries++) {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } }).catch(() => null)
    if (answer?.status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${url} did not answer with 200 within 15 s`)
}

const mswLoad = async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [mswFile(), "load"])
  return JSON.parse(stdout.trim().split("\n").at(-1)!) as { readonly rps: number; readonly rss_mb: number }
}

export const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024
