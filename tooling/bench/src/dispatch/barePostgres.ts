/**
 * What can be had on PostgreSQL with a table and nothing else: claim by one statement, sign, POST, record in batches, in one bare loop
 * without any layer above node-postgres and undici. It signs twice and keeps the attempt, as the specification asks; it
 * judges nothing, guards nothing and retries nothing. `engine`: claim and record alone.
 */
import { Pool } from "pg"
import { attempt, type Outcome, signBare, withoutSending } from "./attempt.ts"
import { contend } from "./contender.ts"
import { atOnceUnsent, deliveriesOf, maxInFlight } from "./fixtures.ts"

const [database = "", url = "", ...modes] = process.argv.slice(2)
const sends = !modes.includes("engine")
const atOnce = sends ? maxInFlight : atOnceUnsent
const pool = new Pool({ connectionString: database, max: 4 })
await pool.query(`
  CREATE TABLE deliveries (sequence BIGSERIAL PRIMARY KEY, id TEXT, body TEXT, state TEXT, due_at BIGINT,
    fence INTEGER, attempt TEXT);
  CREATE INDEX due ON deliveries (due_at, sequence) WHERE due_at IS NOT NULL`)

const insert = {
  name: "insert",
  text: `INSERT INTO deliveries (id, body, state, due_at, fence)
    SELECT id, body, 'scheduled', 0, 0 FROM unnest($1::text[], $2::text[]) AS new (id, body)`
}
const claim = {
  name: "claim",
  text: `UPDATE deliveries d SET state = 'attempting', due_at = ceil(extract(epoch FROM clock_timestamp()) * 1000) + 360000,
      fence = fence + 1
    FROM (SELECT sequence FROM deliveries WHERE due_at <= floor(extract(epoch FROM clock_timestamp()) * 1000)
      ORDER BY due_at, sequence LIMIT $1 FOR UPDATE SKIP LOCKED) due
    WHERE d.sequence = due.sequence RETURNING d.sequence, d.id, d.body, d.fence`
}
const record = {
  name: "record",
  text: `UPDATE deliveries d SET state = 'delivered', due_at = NULL, attempt = ended.attempt
    FROM unnest($1::bigint[], $2::integer[], $3::text[]) AS ended (sequence, fence, attempt)
    WHERE d.sequence = ended.sequence AND d.fence = ended.fence`
}

interface Taken {
  readonly sequence: string
  readonly id: string
  readonly body: string
  readonly fence: number
}

interface Ended extends Taken {
  readonly document: string
}

const made = async (one: Taken): Promise<Outcome> => (sends ? await attempt(one, url, signBare) : withoutSending(one))

/** Number of prefetched deliveries, so that no slot waits for a claim. A claim costs as much for one as for many. */
const ahead = sends ? 4 * maxInFlight : atOnceUnsent

/** One claim and one recording at a time; attempts that end in the meantime are in the next recording. */
const drain = (count: number) =>
  new Promise<void>((resolve, reject) => {
    let free = atOnce
    let left = count
    let claimed = 0
    let claiming = false
    let recording = false
    let taken: Array<Taken> = []
    let ended: Array<Ended> = []

    const fill = () => {
      if (claiming || claimed === count || taken.length > ahead / 2) return
      claiming = true
      pool.query<Taken>({ ...claim, values: [ahead] }).then(({ rows }) => {
        claiming = false
        claimed += rows.length
        taken = [...taken, ...rows]
        send()
      }, reject)
    }

    const send = () => {
      const now = taken.slice(0, free)
      taken = taken.slice(free)
      free -= now.length
      for (const one of now) {
        made(one).then((outcome) => {
          free++
          ended.push({ ...one, document: JSON.stringify(outcome) })
          send()
          save()
        }, reject)
      }
      fill()
    }

    const save = () => {
      if (recording || ended.length === 0) return
      recording = true
      const batch = ended
      ended = []
      const columns = [
        batch.map(({ sequence }) => sequence),
        batch.map(({ fence }) => fence),
        batch.map(({ document }) => document)
      ]
      pool.query({ ...record, values: columns }).then(({ rowCount }) => {
        if (rowCount !== batch.length) return reject(new Error(`${rowCount} of ${batch.length} were recorded`))
        recording = false
        left -= batch.length
        if (left === 0) resolve()
        else save()
      }, reject)
    }
    fill()
  })

let prepared = 0

contend({
  prepare: async (round, count) => {
    const deliveries = deliveriesOf(round, count)
    await pool.query({ ...insert, values: [deliveries.map(({ id }) => id), deliveries.map(({ body }) => body)] })
    prepared = count
  },
  play: () => drain(prepared)
})
