import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Guard, Sender, type WebhookRequest } from "@tapedeck/dispatcher"
import { layerNodeSqlite } from "@tapedeck/dispatcher/sql"
import { verifySync } from "@tapedeck/signing"
import { startPostgres } from "@tapedeck/suites/postgres"
import { Clock, Effect, type Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"
import { expect, onTestFinished, test } from "vitest"
import { openShop } from "../shop.ts"

/** The worker looks each second. */
const graceMs = 5_000

const secret = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ="

const onSqlite = async () => {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-shop-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return layerNodeSqlite(join(folder, "shop.sqlite"))
}

const onPostgres = async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.close())
  const { url } = await postgres.createDatabase()
  // The test's clock runs faster than the database.
  const connections = { connectTimeout: "7 days", idleTimeout: "7 days", connectionTTL: "7 days" } as const
  return PgClient.layer({ url: Redacted.make(url), ...connections })
}

const databases: ReadonlyArray<readonly [string, () => Promise<Layer.Layer<SqlClient, SqlError>>]> = [
  ["SQLite", onSqlite],
  ["PostgreSQL", onPostgres]
]

test.each(databases)("a paid order is sent until its receiver answers, on %s", async (_, open) => {
  const sent: Array<WebhookRequest & { readonly at: number }> = []
  const delivered = Effect.gen(function* () {
    const shop = yield* openShop
    yield* shop.subscribe({ id: "crm", url: "https://crm.test/hook", secret })
    yield* shop.pay({ id: "1", total: 4_200 })
    yield* Effect.forkScoped(shop.deliver)
    // The clock stands still while an attempt is made and recorded: a lease would end before the database has answered.
    while (true) {
      const delivery = yield* shop.delivery("1", "crm")
      if (delivery === undefined) throw new Error("the order has no delivery")
      const { state } = delivery
      if (state._tag === "Delivered" || state._tag === "PermanentlyFailed") return delivery
      const leftMs = "dueAt" in state ? state.dueAt - (yield* Clock.currentTimeMillis) : -graceMs
      // Far from the next attempt there is nothing to look for.
      if (leftMs > -graceMs) yield* TestClock.adjust(Math.max(1_000, leftMs - 1_000))
      yield* Effect.promise(() => new Promise(setImmediate))
    }
  }).pipe(
    Effect.scoped,
    Effect.provide(await open()),
    Effect.provideService(Guard, { check: () => Effect.succeed(null) }),
    Effect.provideService(Sender, {
      send: (request, { startedAt }) =>
        Effect.sync(() => {
          sent.push({ ...request, at: startedAt })
          const outcome = sent.length < 4 ? "failure" : "success"
          return { outcome, statusCode: outcome === "success" ? 204 : 500, response: null, error: null }
        })
    }),
    Effect.provide(TestClock.layer())
  )
  const { attempts } = await Effect.runPromise(delivered)
  expect(attempts.map(({ outcome }) => outcome)).toEqual(["failure", "failure", "failure", "success"])
  const delays = sent.slice(1).map(({ at }, index) => at - sent[index]!.at)
  for (const [index, ms] of [10_000, 60_000, 3_600_000].entries()) expect(delays[index]).toBeGreaterThanOrEqual(ms)
  for (const { at, headers, text } of sent) {
    expect(JSON.parse(text)).toEqual({ type: "order.paid", data: { id: "1", total: 4_200 } })
    const verified = verifySync({ body: text, headers: Object.fromEntries(headers), secret, now: () => at })
    expect(verified).toMatchObject({ scheme: "standard", id: "paid-1-crm" })
  }
})
