/**
 * graphile-worker as its page on performance has it: local queue, batched completion. It keeps nothing of a job that ended:
 * outcomes go into a table of ours beside it, in batches, or (`unlogged`) nowhere.
 */
import { Logger, type Runner, run, runMigrations } from "graphile-worker"
import { Pool } from "pg"
import { attempt, type Sendable, signWithLibrary, withoutSending } from "../../src/dispatch/attempt.ts"
import { contend } from "../../src/dispatch/contender.ts"
import { deliveriesOf, maxInFlight } from "../../src/dispatch/fixtures.ts"
import { makeOutcomeLog } from "../../src/dispatch/peers/outcomeLog.ts"

const [connectionString = "", url = "", ...modes] = process.argv.slice(2)
const sends = !modes.includes("engine")

const logger = new Logger(() => () => {})
const pool = new Pool({ connectionString, max: 12 })
pool.on("error", (error) => console.error(error))
pool.on("connect", (client) => client.on("error", (error) => console.error(error)))
const preset = {
  worker: {
    concurrentJobs: maxInFlight,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0
  }
}
await runMigrations({ pgPool: pool, logger })
const outcomes = modes.includes("unlogged") ? undefined : await makeOutcomeLog(pool)

let left = 0
let allHandled = () => {}
let allAreHandled = Promise.resolve()

const deliver = async (payload: unknown) => {
  const sendable = payload as Sendable
  const outcome = sends ? await attempt(sendable, url, signWithLibrary) : withoutSending(sendable)
  await outcomes?.add(sendable.id, outcome)
  if (--left === 0) allHandled()
}

let runner: Runner | undefined
const start = async () => {
  runner = await run({ pgPool: pool, logger, preset, noHandleSignals: true, taskList: { deliver } })
}

const addJobs = `SELECT graphile_worker.add_jobs(array_agg(json_populate_record(NULL::graphile_worker.job_spec, job)))
  FROM json_array_elements($1::json) job`

const specs = (round: number, count: number) =>
  JSON.stringify(deliveriesOf(round, count).map(({ body, id }) => ({ identifier: "deliver", payload: { id, body } })))

const inQueue = async (): Promise<boolean> =>
  (await pool.query("SELECT 1 FROM graphile_worker._private_jobs LIMIT 1")).rowCount !== 0

const adding = await pool.connect()

contend({
  prepare: async (round, count) => {
    await start()
    await adding.query("BEGIN")
    await adding.query(addJobs, [specs(round, count)])
    left = count
  },
  // The runner is there already, and notified of it.
  commit: async () => {
    allAreHandled = new Promise<void>((resolve) => {
      allHandled = resolve
    })
    await adding.query("COMMIT")
  },
  play: async () => {
    await allAreHandled
    while (await inQueue());
  },
  finish: async () => {
    await runner!.stop()
  },
  work: start,
  submit: async (round) => {
    await pool.query(addJobs, [specs(round, 1)])
  }
})
