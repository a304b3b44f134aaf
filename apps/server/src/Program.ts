import {
  emptyWorld,
  Ids,
  makeMemoryStore,
  RequestIds,
  ServiceConfig,
  Store,
  settingsUseCases,
  UploadLimit,
  useCases,
  Vault
} from "@tapedeck/core"
import { Dispatcher, layerTestSender } from "@tapedeck/dispatcher"
import { Layer } from "effect"
import { type Config, serviceConfigOf } from "./config/Config.ts"
import type { DataDirectory } from "./dataDirectory.ts"
import type { Key } from "./key/keyText.ts"
import { layerLazySender } from "./lazySender.ts"

/** The store of this process: everything in memory, gone with it. */
const memory = Layer.sync(Store, () => makeMemoryStore(emptyWorld()).store)

/** What the server keeps things with. The clock is the wall's, randomness the machine's. */
const foundation = (config: Config, key: Key, _directory: DataDirectory | null) =>
  Layer.provideMerge(
    memory,
    Layer.mergeAll(
      Vault.layer(key),
      Ids.layerRandom,
      RequestIds.layerRandom,
      Layer.succeed(ServiceConfig, serviceConfigOf(config)),
      Layer.succeed(UploadLimit, { maxBytes: config.upload_limit })
    )
  )

/** What requests and deliveries share. */
export const services = (config: Config, key: Key, directory: DataDirectory | null) =>
  Layer.merge(Dispatcher.layer, settingsUseCases).pipe(
    Layer.provideMerge(useCases),
    Layer.provideMerge(layerTestSender),
    Layer.provide(layerLazySender),
    Layer.provideMerge(foundation(config, key, directory))
  )
