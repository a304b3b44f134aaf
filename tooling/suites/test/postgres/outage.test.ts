import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  defaultServiceConfig,
  deliveryQueue,
  Ids,
  ServiceConfig,
  type Store,
  storeContext,
  Vault,
  wholeStore
} from "@tapedeck/core"
import { Guard, makeDispatcher, makeWorker, Sender } from "@tapedeck/dispatcher"
import type { Delivery } from "@tapedeck/domain"
import { FileBytes } from "@tapedeck/storage/files"
import { layerPostgres } from "@tapedeck/storage/postgres"
import { aDelivery, aFolder, anAccount, anAutomation } from "@tapedeck/testkit/samples"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Logger, Redacted } from "effect"
import { Client } from "pg"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { CuttingProxy } from "../../src/cluster/CuttingProxy.ts"
import { startOwnPostgres, type TestDatabase, type TestPostgres } from "../../src/postgres/index.ts"

let postgres: TestPostgres
let database: TestDatabase
let proxy: CuttingProxy
let place: string

beforeAll(async () => {
  postgres = await startOwnPostgres()
})
afterAll(() => postgres.close())

beforeEach(async () => {
  database = await postgres.createDatabase()
  const { port } = new URL(database.url)
  proxy = await CuttingProxy.start(Number(port), () => ({ node: "node", life: 1 }))
  place = mkdtempSync(join(tmpdir(), "tapedeck-outage-"))
})
afterEach(async () => {
  await proxy.close()
  rmSync(place, { recursive: true })
})

/** The store by way of the proxy. */
const openStore = Effect.suspend(() => {
  const url = new URL(database.url)
  url.port = String(proxy.port)
  const files = FileBytes.layerDisk({ directory: join(place, "files"), temporary: join(place, "tmp") })
  const vault = Vault.layer(Redacted.make(new Uint8Array(32).fill(7)))
  const layer = layerPostgres({ url: Redacted.make(url.href), connections: 4 })
  return Effect.flatMap(Layer.build(Layer.provide(layer, [vault, Ids.layerRandom, files])), (context) =>
    Effect.provideContext(wholeStore, context)
  )
})

interface Attempted {
  /** The receiver has it, and waits with its answer. */
  readonly isSent: Effect.Effect<void>
  readonly answer: Effect.Effect<unknown>
  /** A settlement failed. */
  readonly hasFailed: Effect.Effect<void>
  /** A settlement was answered. */
  readonly isSettled: Effect.Effect<void>
}

/** Runs a worker with one delivery during an outage; returns the delivery, how often it was sent, and the log. */
const delivering = (meanwhile: (attempted: Attempted) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const store = yield* openStore
    const [sent, answered, failed, settled] = yield* Effect.all([
      Deferred.make<void>(),
      Deferred.make<void>(),
      Deferred.make<void>(),
      Deferred.make<void>()
    ])
    const watched: Store = {
      ...store,
      deliveries: {
        ...store.deliveries,
        settle: (claim, after) =>
          Effect.onExit(store.deliveries.settle(claim, after), (exit) =>
            Deferred.succeed(Exit.isSuccess(exit) ? settled : failed, undefined)
          )
      }
    }
    yield* store.accounts.save(anAccount(1))
    yield* store.folders.save(aFolder("folder"))
    const automation = anAutomation("automation")
    yield* store.automations.save(automation)
    const delivery = aDelivery("a", { automationId: automation.id })
    yield* store.deliveries.insert(delivery)
    const logged: Array<string> = []
    let calls = 0
    const send = Effect.gen(function* () {
      calls++
      yield* Deferred.succeed(sent, undefined)
      yield* Deferred.await(answered)
      return { outcome: "success", statusCode: 200, response: null, error: null } as const
    })
    const queue = yield* Effect.provide(
      deliveryQueue(),
      Context.add(storeContext(watched), ServiceConfig, defaultServiceConfig)
    )
    const dispatcher = yield* makeDispatcher(queue, defaultServiceConfig).pipe(
      Effect.provideService(Sender, Sender.of({ send: () => send })),
      Effect.provideService(Guard, Guard.of({ check: () => Effect.succeed(null) }))
    )
    const logger = Logger.layer([Logger.make(({ logLevel, message }) => void logged.push(`${logLevel} ${message}`))])
    const worker = Effect.scoped(makeWorker(dispatcher, { concurrency: 4 }))
    const working = yield* Effect.forkDetach(Effect.provide(worker, logger))
    yield* meanwhile({
      isSent: Deferred.await(sent),
      answer: Deferred.succeed(answered, undefined),
      hasFailed: Deferred.await(failed),
      isSettled: Deferred.await(settled)
    })
    // With its attempts in flight.
    yield* Fiber.interrupt(working)
    return { calls, logged, delivery: yield* store.deliveries.byId(delivery.id) }
  }).pipe(Effect.scoped, Effect.runPromise)

const isOfLoss = (line: string) => /\blost\b|not recorded|its lease will end/.test(line)

const recordedOnce = (delivery: Delivery | undefined) => {
  expect(delivery).toMatchObject({
    state: { _tag: "Delivered" },
    attempts: [{ attempt: 1, outcome: "success", statusCode: 200 }]
  })
}

test("an attempt that ends during an outage of PostgreSQL is recorded after it, and its receiver was called once", async () => {
  const { calls, delivery, logged } = await delivering(({ answer, hasFailed, isSent, isSettled }) =>
    Effect.gen(function* () {
      yield* isSent
      const context = yield* Effect.context<never>()
      const whileAway = Effect.andThen(answer, hasFailed)
      yield* Effect.promise(() => postgres.restart("immediate", () => Effect.runPromiseWith(context)(whileAway)))
      yield* isSettled
    })
  )
  recordedOnce(delivery)
  expect(calls).toBe(1)
  expect(logged.filter(isOfLoss)).toEqual([])
})

test("an attempt whose record was committed while the connection to PostgreSQL broke is not reported as lost", async () => {
  const other = new Client({ connectionString: database.url })
  await other.connect()
  const ask = (text: string) => Effect.promise(() => other.query(text))
  /** Until so many settlements wait for what `other` has locked. */
  const waiting = async (count: number) => {
    const blocked = "SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted"
    while (Number((await database.query(blocked))[0]?.count) < count) await new Promise(setImmediate)
  }
  const { calls, delivery, logged } = await delivering(({ answer, isSent, isSettled }) =>
    Effect.gen(function* () {
      yield* isSent
      yield* ask("BEGIN; SELECT 1 FROM delivery_queue FOR UPDATE")
      yield* answer
      yield* Effect.promise(() => waiting(1))
      // The statement goes on, and its result is lost.
      proxy.cut()
      yield* Effect.promise(() => waiting(2))
      yield* ask("COMMIT")
      yield* isSettled
    })
  )
  await other.end()
  recordedOnce(delivery)
  expect(calls).toBe(1)
  expect(logged.filter(isOfLoss)).toEqual([])
})
