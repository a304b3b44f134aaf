/** pg-boss: workers that take batches without a pause while there is more, woken by NOTIFY; outcomes are kept with the jobs. */
import { Client } from "pg"
import { type Job, PgBoss } from "pg-boss"
import { attempt, type Sendable, signWithLibrary, withoutSending } from "../../src/dispatch/attempt.ts"
import { contend } from "../../src/dispatch/contender.ts"
import { deliveriesOf, maxInFlight } from "../../src/dispatch/fixtures.ts"
import { atATime } from "../../src/dispatch/peers/atATime.ts"

const [connectionString = "", url = "", ...modes] = process.argv.slice(2)
const sends = !modes.includes("engine")

const queue = "deliver"
/** Fetches more batches than there are slots, because a batch that is being completed occupies none. */
const workers = 2
const batchSize = 256

const boss = new PgBoss({ connectionString, max: 12, supervise: false, schedule: false, useListenNotify: true })
boss.on("error", (error) => console.error(error))
await boss.start()
await boss.createQueue(queue, { notify: true, retryLimit: 0 })

const client = new Client({ connectionString })
await client.connect()

const limited = atATime(maxInFlight)
let left = 0
let allHandled = () => {}
let allAreHandled = Promise.resolve()
let handled: Array<string> = []

const deliver = async (jobs: ReadonlyArray<Job<Sendable>>) => {
  const results = await Promise.all(
    jobs.map(async ({ data, id }) => ({
      id,
      status: "completed" as const,
      output: sends ? await limited(() => attempt(data, url, signWithLibrary)) : withoutSending(data)
    }))
  )
  handled = [...handled, ...jobs.map(({ id }) => id)].slice(-workers * batchSize)
  left -= jobs.length
  if (left === 0) allHandled()
  return results
}

let isWorking = false
const start = async () => {
  if (isWorking) return
  isWorking = true
  await boss.work<Sendable>(
    queue,
    {
      batchSize,
      burstWhenBatchFull: true,
      localConcurrency: workers,
      perJobResults: true,
      pollingIntervalSeconds: 0.5
    },
    deliver
  )
}

const jobsOf = (round: number, count: number) =>
  deliveriesOf(round, count).map(({ body, id }) => ({ data: { id, body } }))

const adding = new Client({ connectionString })
await adding.connect()
const inTransaction = { executeSql: (text: string, values?: Array<unknown>) => adding.query(text, values) }

/** Of those whose batches were handled last. */
const unsettled = async (): Promise<boolean> => {
  const text = "SELECT 1 FROM pgboss.job WHERE name = $1 AND id = ANY($2::uuid[]) AND state < 'completed' LIMIT 1"
  return (await client.query(text, [queue, handled])).rowCount !== 0
}

contend({
  prepare: async (round, count) => {
    await start()
    await adding.query("BEGIN")
    await boss.insert(queue, jobsOf(round, count), { db: inTransaction })
    left = count
  },
  // The workers are there already, and notified of it.
  commit: async () => {
    allAreHandled = new Promise<void>((resolve) => {
      allHandled = resolve
    })
    await adding.query("COMMIT")
  },
  play: async () => {
    await allAreHandled
    while (await unsettled());
  },
  work: start,
  submit: async (round) => void (await boss.insert(queue, jobsOf(round, 1)))
})
