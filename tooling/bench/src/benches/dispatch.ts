import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { cert } from "../dispatch/certificate.ts"
import type { Played } from "../dispatch/contender.ts"
import { inHand } from "../dispatch/fixtures.ts"
import { interleave, median, ratioOfMedians } from "../measure.ts"
import { inTemporaryFolder, startNode } from "../processes.ts"
import type { Measurements } from "../report.ts"

const perRound = 2_000
const rounds = 5
const warmUpRounds = 3

/**
 * Deliveries a second on SQLite: claim, sign, POST over TLS on loopback, record. Ours is the server's worker and store, the
 * ceiling a bare loop of the same four steps; both in processes of their own, at the same receiver, with as many in hand.
 */
export const run = (): Promise<Measurements> =>
  inTemporaryFolder(async (folder) => {
    const authority = join(folder, "cert.pem")
    writeFileSync(authority, cert)
    const receiver = await startNode(join(import.meta.dirname, "../dispatch/receiver.ts"))
    const url = `https://127.0.0.1:${receiver.firstLine}/hook`
    const started: Array<ChildProcess> = []
    const start = async (program: string, name: string, ...more: ReadonlyArray<string>) => {
      const directory = join(folder, name)
      mkdirSync(directory)
      const child = fork(
        join(import.meta.dirname, `../dispatch/${program}.ts`),
        [join(directory, "tapedeck.db"), url, ...more],
        { env: { ...process.env, NODE_EXTRA_CA_CERTS: authority } }
      )
      started.push(child)
      await once(child, "message")
      return contenderOf(child)
    }
    try {
      const ours = await start("ours", "ours")
      const bare = await start("bare", "bare")
      const engine = await start("ours", "engine", "engine")
      const samples = await interleave(
        { dispatch_sqlite: ours.play, ceiling_sqlite: bare.play, engine_sqlite: engine.play },
        { rounds, warmUpRounds }
      )
      const cpuOf = ({ cpuUs }: { readonly cpuUs: ReadonlyArray<number> }) => ({
        value: median(cpuUs.slice(warmUpRounds)),
        unit: "µs of a core a delivery"
      })
      return {
        results: {
          ...Object.fromEntries(
            Object.entries(samples).map(([key, rates]) => [key, { value: median(rates), unit: "deliveries/s" }])
          ),
          dispatch_sqlite_cpu: cpuOf(ours),
          ceiling_sqlite_cpu: cpuOf(bare),
          engine_sqlite_cpu: cpuOf(engine)
        },
        ratios: { dispatch_sqlite_vs_ceiling: ratioOfMedians(samples.dispatch_sqlite, samples.ceiling_sqlite) },
        notes: [
          `${perRound} deliveries of 2 kB a round, ${inHand} in hand, one receiver in a process of its own, ${rounds} rounds in turn`,
          "the ceiling claims, signs, posts and logs; it has no guard, no rights, no sealed headers, no retries and one kind of receiver"
        ]
      }
    } finally {
      for (const child of started) child.disconnect()
      await receiver.stop()
    }
  })

/** One round: deliveries a second. */
const contenderOf = (child: ChildProcess) => {
  let round = 0
  /** Of a core, a delivery. */
  const cpuUs: Array<number> = []
  const play = async (): Promise<number> => {
    child.send({ round: round++, count: perRound })
    const [played] = (await once(child, "message")) as [Played | { readonly error: string }]
    if ("error" in played) throw new Error(played.error)
    cpuUs.push((played.cpuMs / perRound) * 1_000)
    return (perRound / played.ms) * 1_000
  }
  return { play, cpuUs }
}
