// Takes long: starts first.
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Ids, storeFailureIn, Vault, wholeStore } from "@tapedeck/core"
import { FileBytes } from "@tapedeck/storage/files"
import { layerPostgres } from "@tapedeck/storage/postgres"
import { aFolder } from "@tapedeck/testkit/samples"
import { Effect, Exit, Layer, Redacted } from "effect"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { startOwnPostgres, type TestDatabase, type TestPostgres } from "../../src/postgres/index.ts"
import { serverMain, startProcess } from "../../src/support/process.ts"
import type { Ready } from "../../src/support/tapedeck.ts"

/**
 * A server whose database fell silent. The result is its response to a request, once SIGTERM has ended it. What was started ends with
 * `close`, or here if a later step fails.
 */
const silenceServer = async () => {
  await using started = new AsyncDisposableStack()
  const own = await startOwnPostgres()
  started.defer(() => own.close())
  const silent = await own.createDatabase()
  const data = mkdtempSync(join(tmpdir(), "tapedeck-silence-"))
  started.defer(() => rmSync(data, { recursive: true }))
  const { ready, stop } = await startProcess<Ready>(serverMain, ["serve", "--port", "0", "--json", "--demo"], {
    TAPEDECK_KEY: randomBytes(32).toString("base64"),
    TAPEDECK_DATABASE_URL: silent.url,
    TAPEDECK_DATA: data,
    TAPEDECK_PUBLIC_URL: "https://tapedeck.test",
    TAPEDECK_FFMPEG: "off"
  })
  started.defer(stop)
  const headers = { authorization: `Bearer ${Object.values(ready.tokens)[0]}` }
  const list = () => fetch(`${ready.base_url}/api/v2/recordings`, { headers })
  expect((await list()).status).toBe(200)
  started.defer(await own.freeze(silent, "andServer"))
  const refuse = async () => {
    const refused = await list()
    return [refused.status, refused.headers.get("retry-after"), await refused.json()]
  }
  const ended = refuse().finally(stop)
  const ending = started.move()
  return { ended, close: () => ending.disposeAsync() }
}

let postgres: TestPostgres
let silentServer: Awaited<ReturnType<typeof silenceServer>> | undefined
let database: TestDatabase
let place: string
let thaw = () => {}

beforeAll(async () => {
  postgres = await startOwnPostgres()
  // It waits for 40 s, by its own deadlines. The tests of the store run meanwhile.
  silentServer = await silenceServer()
  silentServer.ended.catch(() => {})
})
afterAll(async () => {
  try {
    await silentServer?.close()
  } finally {
    await postgres.close()
  }
})
beforeEach(async () => {
  database = await postgres.createDatabase()
  place = mkdtempSync(join(tmpdir(), "tapedeck-silence-"))
})
afterEach(() => {
  thaw()
  thaw = () => {}
  rmSync(place, { recursive: true })
})

const openStore = Effect.suspend(() => {
  const files = FileBytes.layerDisk({ directory: join(place, "files"), temporary: join(place, "tmp") })
  const vault = Vault.layer(Redacted.make(new Uint8Array(32).fill(7)))
  const layer = layerPostgres({ url: Redacted.make(database.url), connections: 2, deadlineMs: 200 })
  return Effect.flatMap(Layer.build(Layer.provide(layer, [vault, Ids.layerRandom, files])), (context) =>
    Effect.provideContext(wholeStore, context)
  )
})

const failureOf = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) ? storeFailureIn(exit.cause)?._tag : "success"

/** Number of transactions of this process that PostgreSQL did not answer in time. */
const timedOut = Effect.map(Effect.context<never>(), (context) =>
  Number(/^tapedeck_transactions_ended_total\{reason="timeout"\} (\d+)$/m.exec(formatUnsafe(context))?.[1] ?? 0)
)

/** The call of a caller who tries again after a 503: on a busy machine the first connection can take longer than the deadline. */
const untilAvailable = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    Effect.repeat(Effect.exit(call), { while: (exit) => failureOf(exit) === "StoreUnavailable" }),
    (exit) => exit
  )

test.for([
  ["its sessions are stopped", undefined],
  ["its sessions and the server are stopped", "andServer"]
] as const)(
  "4 reads and 4 transactions on 2 connections end with StoreUnavailable, and the metrics count the transactions, when %s",
  {
    timeout: 60_000
  },
  async ([, andServer]) => {
    const program = Effect.gen(function* () {
      const store = yield* openStore
      const folder = aFolder("folder")
      yield* store.folders.save(folder)
      const read = store.folders.byId(folder.id)
      const write = store.transaction(store.folders.save({ ...folder, name: "other" }))
      // Opens both connections.
      yield* Effect.all([read, write], { concurrency: "unbounded" })
      thaw = yield* Effect.promise(() => postgres.freeze(database, andServer))
      const before = yield* timedOut
      const calls = [read, write, read, write, read, write, read, write].map(Effect.exit)
      const exits = yield* Effect.all(calls, { concurrency: "unbounded" })
      expect(new Set(exits.map(failureOf))).toEqual(new Set(["StoreUnavailable"]))
      expect(yield* timedOut).toBe(before + 4)
      thaw()
      thaw = () => {}
      yield* untilAvailable(write)
      expect(yield* untilAvailable(read)).toMatchObject({ name: "other" })
    })
    await Effect.runPromise(Effect.scoped(program))
  }
)

test("a body whose statement was not answered is not run again, nor one whose commit was not", async () => {
  const program = Effect.gen(function* () {
    const store = yield* openStore
    const folder = aFolder("folder")
    const freeze = Effect.promise(async () => {
      thaw = await postgres.freeze(database)
    })
    let runs = 0
    const body = (before: Effect.Effect<void>, after: Effect.Effect<void>) =>
      Effect.suspend(() => {
        runs++
        return Effect.andThen(before, Effect.andThen(store.folders.save(folder), after))
      })
    const statement = yield* Effect.exit(store.transaction(body(freeze, Effect.void)))
    thaw()
    const commit = yield* Effect.exit(store.transaction(body(Effect.void, freeze)))
    thaw()
    expect([failureOf(statement), failureOf(commit), runs]).toEqual(["StoreUnavailable", "StoreUnavailable", 2])
  })
  await Effect.runPromise(Effect.scoped(program))
})

test("a request to a server whose database is silent is 503 with Retry-After, and SIGTERM ends the server", async () => {
  expect(await silentServer?.ended).toEqual([
    503,
    "5",
    { error: "The database does not respond: try again in a few seconds" }
  ])
})
