/**
 * The ceiling: claim, sign, POST and record in one bare loop, without layers above Node and undici. It signs twice and writes the
 * attempt's log, as the specification requires. It has no guard, no permissions and no retries.
 */
import { DatabaseSync } from "node:sqlite"
import { attempt, signBare } from "./attempt.ts"
import { contend } from "./contender.ts"
import { deliveriesOf, maxInFlight } from "./fixtures.ts"

const [file = "", url = ""] = process.argv.slice(2)
const database = new DatabaseSync(file)
for (const pragma of ["journal_mode=WAL", "synchronous=FULL", "cache_size=-16000"]) database.exec(`PRAGMA ${pragma}`)
database.exec(`
  CREATE TABLE deliveries (id TEXT PRIMARY KEY, url TEXT, body TEXT, state TEXT, due_at INTEGER, fence INTEGER) STRICT;
  CREATE INDEX due ON deliveries (due_at) WHERE due_at IS NOT NULL;
  CREATE TABLE attempts (delivery TEXT, document TEXT) STRICT;`)
const insert = database.prepare("INSERT INTO deliveries VALUES (?, ?, ?, 'scheduled', ?, 0)")
const due = database.prepare(
  "SELECT rowid, id, url, body, fence FROM deliveries WHERE due_at <= ? ORDER BY due_at LIMIT ?"
)
const take = database.prepare("UPDATE deliveries SET state = 'attempting', due_at = ?, fence = ? WHERE rowid = ?")
const settle = database.prepare(
  "UPDATE deliveries SET state = 'delivered', due_at = NULL WHERE rowid = ? AND fence = ?"
)
const log = database.prepare("INSERT INTO attempts VALUES (?, ?)")

interface Taken {
  readonly rowid: number
  readonly id: string
  readonly url: string
  readonly body: string
  readonly fence: number
}

const inTransaction = (body: () => void) => {
  database.exec("BEGIN IMMEDIATE")
  body()
  database.exec("COMMIT")
}

const claim = (limit: number): ReadonlyArray<Taken> => {
  const now = Date.now()
  const taken = due.all(now, limit) as unknown as ReadonlyArray<Taken>
  if (taken.length > 0)
    inTransaction(() => taken.forEach((one) => void take.run(now + 360_000, one.fence + 1, one.rowid)))
  return taken
}

const made = async (one: Taken): Promise<readonly [Taken, string]> => [
  one,
  JSON.stringify(await attempt(one, one.url, signBare))
]

let waiting: Array<readonly [Taken, string]> = []

const record = () => {
  const ended = waiting
  waiting = []
  inTransaction(() => {
    for (const [one, document] of ended) {
      log.run(one.id, document)
      settle.run(one.rowid, one.fence + 1)
    }
  })
  return ended.length
}

contend({
  prepare: async (round, count) => {
    inTransaction(() => {
      for (const { body, createdAt, id } of deliveriesOf(round, count)) insert.run(id, url, body, createdAt)
    })
  },
  play: () =>
    new Promise((resolve, reject) => {
      let free = maxInFlight
      const turn = () => {
        const taken = claim(free)
        free -= taken.length
        if (free === maxInFlight) return resolve()
        for (const one of taken) made(one).then(ended, reject)
      }
      /** All that end in one turn of the event loop are recorded in one transaction. */
      const ended = (result: readonly [Taken, string]) => {
        waiting.push(result)
        if (waiting.length === 1) {
          setImmediate(() => {
            free += record()
            turn()
          })
        }
      }
      turn()
    })
})
