import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { startPostgres, type TestDatabases } from "@tapedeck/suites/postgres"
import { interleave, median } from "../measure.ts"
import type { Measurements } from "../report.ts"
import { ContenderProcess, type CpuClock } from "./ContenderProcess.ts"
import type { Field } from "./field.ts"
import { atOnceUnsent, maxInFlight } from "./fixtures.ts"
import { idleLatencies } from "./idle.ts"
import { postgresRatios } from "./postgresRatios.ts"
import { askReceiver } from "./received.ts"
import { type RedisServer, startRedis } from "./redis.ts"
import { serverCpu } from "./serverCpu.ts"

const perRound = 8_000
const rounds = 9
/** V8 compiles gradually: in the first round a delivery costs our process twice as much as in the ninth. */
const warmUpRounds = 8

/** Settings of PostgreSQL, the same for all contenders. It syncs each commit. */
const settings = { shared_buffers: "512MB", max_wal_size: "4GB" }

interface Entry {
  readonly key: string
  readonly program: string
  readonly modes?: ReadonlyArray<string>
  readonly on?: "redis"
  /** Whether it posts to the receiver. */
  readonly sends: boolean
}

const peers = [
  { key: "graphile_worker", program: "../../ondemand/dispatch/graphileWorker" },
  { key: "graphile_worker_unlogged", program: "../../ondemand/dispatch/graphileWorker", modes: ["unlogged"] },
  { key: "pg_boss", program: "../../ondemand/dispatch/pgBoss" },
  { key: "bullmq", program: "../../ondemand/dispatch/bullmq", on: "redis" }
] as const

const entries = (waiting: number): ReadonlyArray<Entry> => [
  { key: "dispatch_pg", program: "ours", sends: true },
  { key: "dispatch_pg_waiting", program: "ours", modes: [`waiting=${waiting}`], sends: true },
  ...peers.map((peer): Entry => ({ ...peer, key: `dispatch_${peer.key}`, sends: true })),
  { key: "ceiling_pg", program: "barePostgres", sends: true },
  { key: "engine_pg", program: "ours", modes: ["engine"], sends: false },
  { key: "engine_ceiling_pg", program: "barePostgres", modes: ["engine"], sends: false },
  ...peers.map((peer): Entry => {
    const modes = ["engine", ...("modes" in peer ? peer.modes : [])]
    return { ...peer, key: `engine_${peer.key}`, modes, sends: false }
  })
]

/**
 * Deliveries a second on PostgreSQL: ours, the engines that people use, and a bare loop; each in a process of its own and
 * with a database of its own on one server, in turns. Then how long a delivery takes from its commit to the receiver while
 * nothing else is to be done.
 */
export const onPostgres = async (field: Field, waiting: number): Promise<Measurements> => {
  const postgres = await startPostgres(settings)
  const redis = await startRedis(makeFolder(field, "redis"))
  const started: Array<ContenderProcess> = []
  try {
    const start = await starter({ field, postgres, redis, started })
    const contenders: Array<Entry & { readonly process: ContenderProcess }> = []
    for (const entry of entries(waiting)) {
      if (entry.on === "redis" && redis === undefined) continue
      contenders.push({ ...entry, process: await start(entry) })
    }
    const samples = await interleave(
      Object.fromEntries(contenders.map(({ key, process, sends }) => [key, () => playSeen(field, process, sends)])),
      { rounds, warmUpRounds }
    )
    const rates = Object.fromEntries(Object.entries(samples).map(([key, all]) => [key, median(all)]))
    const idle = await idleLatencies(field, await idlePairs(start, redis))
    return {
      results: {
        ...Object.fromEntries(Object.entries(rates).map(([key, value]) => [key, { value, unit: "deliveries/s" }])),
        ...Object.assign({}, ...contenders.map(({ key, process }) => process.costs(key, warmUpRounds))),
        ...Object.fromEntries(Object.entries(idle).map(([key, value]) => [`idle_${key}`, { value, unit: "ms" }]))
      },
      ratios: postgresRatios(rates, waiting),
      notes: notes(waiting, redis !== undefined)
    }
  } finally {
    for (const contender of started) await contender.stop()
    await redis?.stop()
    await postgres.close()
  }
}

const makeFolder = ({ folder }: Field, name: string): string => {
  const made = join(folder, name)
  mkdirSync(made)
  return made
}

interface Servers {
  readonly field: Field
  readonly postgres: TestDatabases
  readonly redis: RedisServer | undefined
  readonly started: Array<ContenderProcess>
}

/** Starts a contender, with its own database unless one is given. */
const starter = async ({ field, postgres, redis, started }: Servers) => {
  const cpu = { postgres: await postgresCpu(postgres), redis: serverCpu(redis?.pid) }
  const newDatabase = async () => (await postgres.createDatabase()).url
  return async ({ modes = [], on, program }: Omit<Entry, "key" | "sends">, database?: string) => {
    const where = on === "redis" ? String(redis!.port) : (database ?? (await newDatabase()))
    const kind = program === "ours" ? ["postgres"] : []
    const serverCpuMs = on === "redis" ? cpu.redis : cpu.postgres
    const contender = await ContenderProcess.start({
      program,
      parameters: [...kind, where, field.url, ...modes],
      authority: field.authority,
      ...(serverCpuMs !== undefined && { serverCpuMs })
    })
    started.push(contender)
    return Object.assign(contender, { database: where })
  }
}
type Start = Awaited<ReturnType<typeof starter>>

/** Undefined for a server on another machine, or without the permission. */
const postgresCpu = async (postgres: TestDatabases): Promise<CpuClock | undefined> => {
  const database = await postgres.createDatabase()
  const file = await database.query("SELECT pg_read_file('postmaster.pid') AS text").catch(() => [{ text: "" }])
  await database.drop()
  return serverCpu(Number.parseInt(String(file[0]?.text), 10))
}

/** Plays a round. Throws if the receiver did not get all of it. */
const playSeen = async ({ url }: Field, contender: ContenderProcess, sends: boolean): Promise<number> => {
  const before = await askReceiver(url)
  const rate = await contender.play(perRound)
  const after = await askReceiver(url)
  const received = after.received - before.received
  if (received !== (sends ? perRound : 0))
    throw new Error(`${contender.program}: the receiver got ${received} requests`)
  return rate
}

/** For each engine a process that works and one that submits, like a node for deliveries and one for the API. */
const idlePairs = async (start: Start, redis: RedisServer | undefined) => {
  const engines = [{ key: "pg", program: "ours" }, ...peers.filter(({ key }) => !key.endsWith("_unlogged"))]
  const pairs: Record<string, { readonly works: ContenderProcess; readonly submits: ContenderProcess }> = {}
  for (const { key, ...engine } of engines) {
    if ("on" in engine && redis === undefined) continue
    const works = await start(engine)
    pairs[key] = { works, submits: await start(engine, works.database) }
  }
  return pairs
}

const notes = (waiting: number, hasRedis: boolean): ReadonlyArray<string> => [
  `PostgreSQL: ${perRound} deliveries of 2 kB a round, ${maxInFlight} in flight, ${rounds} rounds in turn; ${Object.entries(
    settings
  )
    .map(([name, value]) => `${name} ${value}`)
    .join(", ")}, each commit synced`,
  "all sign with our library twice and post with undici from pools set alike, and store the outcome: graphile-worker in a table beside it, in batches (_unlogged: nowhere), pg-boss and BullMQ with the job",
  "the ceiling claims by one statement, signs, posts, and records in batches, without guard, permissions, encrypted headers, retries",
  `engine_*: claim and record alone; nothing is in flight then, and ours claims ${atOnceUnsent} at a time, as the peers' queues and batches do`,
  "_cpu: of the engine's own process; _server_cpu: of PostgreSQL or Redis; idle_*: from commit to the receiver, median",
  `dispatch_pg_waiting: with ${waiting.toLocaleString("en-US")} deliveries waiting hours away`,
  hasRedis
    ? "BullMQ's Redis syncs its append-only file every second: a crash may lose a second, where PostgreSQL loses nothing"
    : "Redis is not installed (Debian: apt-get install redis-server): BullMQ is left out"
]
