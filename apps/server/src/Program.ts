import {
  emptyWorld,
  Ids,
  makeMemoryStore,
  RequestIds,
  ServiceConfig,
  Store,
  settingsUseCases,
  UploadLimit,
  UploadPolicy,
  useCases,
  Vault
} from "@tapedeck/core"
import { Dispatcher, layerTestSender } from "@tapedeck/dispatcher"
import { Effect, Layer } from "effect"
import { type Config, serviceConfigOf } from "./config/Config.ts"
import type { DataDirectory } from "./dataDirectory.ts"
import { layerFiles } from "./files.ts"
import type { Key } from "./key/keyText.ts"
import { layerLazyNetwork } from "./lazyNetwork.ts"
import { layerMediaWork, layerMediaWorker } from "./media/media.ts"
import { mediaOptionsOf } from "./media/mediaOptions.ts"
import { layerSignIn } from "./signIn/signInPolicy.ts"
import { watchAttempts } from "./watch/attempts.ts"

/** The store of this process: everything in memory, gone with it. */
const memory = Layer.sync(Store, () => makeMemoryStore(emptyWorld()).store)

/** The store in the data directory. SQLite is loaded where it is used. */
const sqlite = (config: Config, directory: DataDirectory) =>
  Layer.unwrap(
    Effect.promise(async () => {
      const { layerSqlite } = await import("@tapedeck/storage/sqlite")
      return Layer.provide(layerSqlite({ file: directory.database }), layerFiles(config, directory))
    })
  )

/** What the server keeps things with. The clock is the wall's, randomness the machine's. */
export const foundation = (config: Config, key: Key, directory: DataDirectory | null) =>
  Layer.provideMerge(
    directory === null ? memory : sqlite(config, directory),
    Layer.mergeAll(
      Vault.layer(key),
      layerSignIn(config),
      Ids.layerRandom,
      RequestIds.layerRandom,
      Layer.succeed(ServiceConfig, serviceConfigOf(config)),
      Layer.succeed(UploadLimit, { maxBytes: config.upload_limit }),
      Layer.succeed(UploadPolicy, { unknownContent: "refused" })
    )
  )

/** What requests and deliveries share. */
export const services = (config: Config, key: Key, directory: DataDirectory | null) => {
  const media = mediaOptionsOf(config, directory)
  return Layer.mergeAll(watchAttempts(Dispatcher.layer, config), settingsUseCases, layerMediaWorker(media)).pipe(
    Layer.provideMerge(useCases),
    Layer.provideMerge(layerTestSender),
    Layer.provide(layerLazyNetwork(config)),
    Layer.provideMerge(Layer.merge(foundation(config, key, directory), layerMediaWork(media)))
  )
}
