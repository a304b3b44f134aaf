/** The server's dispatcher on its SQLite store: over the network, or (`engine`) with a sender that answers at once. */
import { dirname, join } from "node:path"
import { defaultServiceConfig, Ids, ServiceConfig, Store, useCases, Vault } from "@tapedeck/core"
import { type Answer, Dispatcher, makeWorker, Sender } from "@tapedeck/dispatcher"
import { layerNetwork } from "@tapedeck/dispatcher/network"
import { FileBytes } from "@tapedeck/storage/files"
import { layerSqlite } from "@tapedeck/storage/sqlite"
import { Deferred, Effect, Fiber, Layer, ManagedRuntime, Redacted } from "effect"
import { contend } from "./contender.ts"
import { account, automationTo, deliveriesOf, inHand } from "./fixtures.ts"

const [file = "", url = "", mode = ""] = process.argv.slice(2)
const directory = dirname(file)

const answer: Answer = {
  outcome: "success",
  statusCode: 200,
  response: { headers: [["content-type", "application/json"]], body: '{"ok":true}', truncated: false },
  error: null
}
const network = layerNetwork({ allow: ["127.0.0.1"] })
const sender = mode === "engine" ? Layer.succeed(Sender, { send: () => Effect.succeed(answer) }) : network

const store = layerSqlite({ file }).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Vault.layer(Redacted.make(new Uint8Array(32).fill(1))),
      Ids.layerRandom,
      Layer.succeed(ServiceConfig, defaultServiceConfig),
      FileBytes.layerDisk({ directory: join(directory, "files"), temporary: join(directory, "tmp") })
    )
  )
)
const runtime = ManagedRuntime.make(
  Dispatcher.layer.pipe(Layer.provideMerge(useCases), Layer.provide(sender), Layer.provideMerge(store))
)

let left = 0
let allMade = Deferred.makeUnsafe<void>()

/** Counts what is delivered. */
const counted = Layer.effect(
  Dispatcher,
  Effect.map(Dispatcher, (inner) =>
    Dispatcher.of({
      perform: (claim, admit) =>
        Effect.map(inner.perform(claim, admit), (performed) => {
          if (performed?.outcome === "success" && --left === 0) Deferred.doneUnsafe(allMade, Effect.void)
          return performed
        })
    })
  )
)

// One account alone has three quarters of the hands.
const worker = Effect.scoped(makeWorker({ concurrency: Math.ceil((inHand * 4) / 3), perHost: inHand })).pipe(
  Effect.provide(counted)
)

await runtime.runPromise(
  Effect.gen(function* () {
    const { accounts, automations } = yield* Store
    yield* accounts.save(account)
    yield* automations.save(automationTo(url))
  })
)

contend({
  prepare: (round, count) => {
    left = count
    allMade = Deferred.makeUnsafe()
    const insert = Effect.gen(function* () {
      const { deliveries, transaction } = yield* Store
      yield* transaction(Effect.forEach(deliveriesOf(round, count), deliveries.insert, { discard: true }))
    })
    return runtime.runPromise(insert)
  },
  play: () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const running = yield* Effect.forkChild(worker)
        yield* Deferred.await(allMade)
        yield* Fiber.interrupt(running)
      })
    )
})
