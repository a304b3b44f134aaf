import { makeDispatcher, makeReceiver, makeWorker } from "@tapedeck/dispatcher"
import { makeSqlQueue } from "@tapedeck/dispatcher/sql"
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

/** The delays before the three retries: 10 s, 1 min, 1 h. */
const schedule = [10_000, 60_000, 3_600_000]

type Endpoint = { readonly id: string; readonly url: string; readonly secret: string }

/** A shop that tells its customers' systems of paid orders. */
export const openShop = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, total INTEGER NOT NULL)`
  yield* sql`CREATE TABLE IF NOT EXISTS endpoints (id TEXT PRIMARY KEY, url TEXT NOT NULL, secret TEXT NOT NULL)`
  const endpoint = (id: string) => sql<Endpoint>`SELECT * FROM endpoints WHERE id = ${id}`

  const queue = yield* makeSqlQueue({
    receiverOf: (id) => Effect.map(endpoint(id), ([row]) => row && makeReceiver({ ...row, schedule }))
  })
  yield* queue.createTable
  const dispatcher = yield* makeDispatcher(queue, { vendor: "Shop", version: "1.0", standardWebhooks: true })

  /** The order and its webhooks are committed together, or not at all. */
  const pay = Effect.fnUntraced(function* (order: { readonly id: string; readonly total: number }) {
    yield* sql`INSERT INTO orders ${sql.insert(order)}`
    const body = JSON.stringify({ type: "order.paid", data: order })
    for (const { id } of yield* sql<Endpoint>`SELECT * FROM endpoints`) {
      yield* queue.add({ id: `paid-${order.id}-${id}`, receiver: id, body })
    }
  }, sql.withTransaction)

  return {
    subscribe: (one: Endpoint) => sql`INSERT INTO endpoints ${sql.insert(one)} ON CONFLICT (id) DO NOTHING`,
    pay,
    /** Sends what is due, until it is interrupted. */
    deliver: Effect.scoped(makeWorker(dispatcher)),
    delivery: (orderId: string, endpointId: string) => queue.byId(`paid-${orderId}-${endpointId}`)
  }
})
