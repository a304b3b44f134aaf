import { PgClient } from "@effect/sql-pg"
import { layerNetwork } from "@tapedeck/dispatcher/network"
import { layerNodeSqlite } from "@tapedeck/dispatcher/sql"
import { Effect, Layer, Redacted } from "effect"
import { openShop } from "./shop.ts"

const { DATABASE_URL, HOOK_SECRET, HOOK_URL } = process.env
if (HOOK_URL === undefined || HOOK_SECRET === undefined) {
  console.error("HOOK_URL and HOOK_SECRET are required: an HTTPS URL, and its secret.")
  process.exit(2)
}

const database =
  DATABASE_URL === undefined ? layerNodeSqlite("shop.sqlite") : PgClient.layer({ url: Redacted.make(DATABASE_URL) })

const [orderId] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const shop = yield* openShop
  yield* shop.subscribe({ id: "crm", url: HOOK_URL, secret: HOOK_SECRET })
  if (orderId !== undefined) yield* shop.pay({ id: orderId, total: 4_200 })
  console.log("Webhooks are sent until you press Ctrl+C. The table webhook_deliveries has the attempts.")
  return yield* shop.deliver
})

await Effect.runPromise(Effect.provide(program, Layer.merge(database, layerNetwork())))
