import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { interleave, median, ratioOfMedians } from "../measure.ts"
import type { Measurements } from "../report.ts"
import { ContenderProcess } from "./ContenderProcess.ts"
import type { Field } from "./field.ts"
import { maxInFlight } from "./fixtures.ts"

const perRound = 2_000
const rounds = 7
const warmUpRounds = 3

/**
 * Deliveries a second on SQLite: claim, sign, POST over TLS on loopback, record. Ours is the server's worker and store, the
 * ceiling a bare loop of the same four steps; both in processes of their own, at the same receiver, with as many in flight.
 */
export const onSqlite = async ({ authority, folder, url }: Field): Promise<Measurements> => {
  const started: Array<ContenderProcess> = []
  const start = async (program: string, name: string, parameters: (file: string) => ReadonlyArray<string>) => {
    const directory = join(folder, name)
    mkdirSync(directory)
    const file = join(directory, "tapedeck.db")
    const contender = await ContenderProcess.start({ program, parameters: parameters(file), authority })
    started.push(contender)
    return contender
  }
  try {
    const ours = await start("ours", "ours", (file) => ["sqlite", file, url])
    const bare = await start("bare", "bare", (file) => [file, url])
    const engine = await start("ours", "engine", (file) => ["sqlite", file, url, "unsent"])
    const samples = await interleave(
      {
        dispatch_sqlite: () => ours.play(perRound),
        ceiling_sqlite: () => bare.play(perRound),
        engine_sqlite: () => engine.play(perRound)
      },
      { rounds, warmUpRounds }
    )
    return {
      results: {
        ...Object.fromEntries(
          Object.entries(samples).map(([key, rates]) => [key, { value: median(rates), unit: "deliveries/s" }])
        ),
        ...ours.costs("dispatch_sqlite", warmUpRounds),
        ...bare.costs("ceiling_sqlite", warmUpRounds),
        ...engine.costs("engine_sqlite", warmUpRounds)
      },
      ratios: { dispatch_sqlite_vs_ceiling: ratioOfMedians(samples.dispatch_sqlite, samples.ceiling_sqlite) },
      notes: [
        `SQLite: ${perRound} deliveries of 2 kB a round, ${maxInFlight} in flight, one receiver in a process of its own, ${rounds} rounds in turn`,
        "the ceiling claims, signs, posts and logs; it has no guard, no permissions, no encrypted headers, no retries and one kind of receiver"
      ]
    }
  } finally {
    for (const contender of started) await contender.stop()
  }
}
