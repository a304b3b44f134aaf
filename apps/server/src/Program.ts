import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import {
  defaultWorldConfig,
  emptyWorld,
  Ids,
  makeMemoryStore,
  RequestIds,
  ServiceConfig,
  Store,
  serviceConfigOf,
  settingsUseCases,
  useCases,
  Vault,
  type WorldConfig
} from "@tapedeck/core"
import { Dispatcher, layerTestSender, worker } from "@tapedeck/dispatcher"
import { layerUndici } from "@tapedeck/dispatcher/network"
import { makeProductApp, serverOptions } from "@tapedeck/http"
import { Effect, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"

/** The store of this process: everything in memory, gone with it. */
const memory = Layer.sync(Store, () => makeMemoryStore(emptyWorld()).store)

/** The store's life is the process's, and so is its key's. */
const vault = Layer.unwrap(Effect.sync(() => Vault.layer(Redacted.make(randomBytes(32)))))

/** What requests and deliveries share. The clock is the wall's, randomness the machine's. */
export const services = (config: Partial<WorldConfig>) =>
  Layer.merge(Dispatcher.layer, settingsUseCases).pipe(
    Layer.provideMerge(useCases),
    Layer.provideMerge(layerTestSender),
    Layer.provide(layerUndici),
    Layer.provideMerge(
      Layer.mergeAll(
        memory,
        vault,
        Ids.layerRandom,
        RequestIds.layerRandom,
        Layer.succeed(ServiceConfig, serviceConfigOf({ ...defaultWorldConfig, ...config }))
      )
    )
  )

/** Makes deliveries and answers requests until it is interrupted. `onListening` gets the origin. */
export const serve = (
  options: { readonly port: number; readonly host: string },
  onListening: (origin: string) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    yield* Effect.forkScoped(worker)
    yield* HttpServer.serveEffect(yield* makeProductApp)
    yield* HttpServer.addressFormattedWith(onListening)
    return yield* Effect.never
  }).pipe(Effect.provide(NodeHttpServer.layer(() => createServer(serverOptions), options)), Effect.scoped)
