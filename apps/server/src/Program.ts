import {
  emptyWorld,
  Ids,
  MemberQuota,
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
import { Effect, Layer, type Redacted } from "effect"
import { type Config, type Listening, serviceConfigOf } from "./config/Config.ts"
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

/** The store in a PostgreSQL database, which other processes may be on too. */
const postgres = (config: Config, directory: DataDirectory, url: Redacted.Redacted) =>
  Layer.unwrap(
    Effect.promise(async () => {
      const { layerPostgres } = await import("@tapedeck/storage/postgres")
      const options = { url, connections: config.database_connections }
      return Layer.provide(layerPostgres(options), layerFiles(config, directory, true))
    })
  )

const storeIn = (config: Config, directory: DataDirectory | null) => {
  if (directory === null) return memory
  return config.database_url === undefined
    ? sqlite(config, directory)
    : postgres(config, directory, config.database_url)
}

/** What the server keeps things with. The clock is the wall's, randomness the machine's. */
export const foundation = (config: Config, key: Key, directory: DataDirectory | null, listening?: Listening) =>
  Layer.provideMerge(
    storeIn(config, directory),
    Layer.mergeAll(
      Vault.layer(key),
      layerSignIn(config),
      Ids.layerRandom,
      RequestIds.layerRandom,
      Layer.succeed(ServiceConfig, serviceConfigOf(config, listening)),
      Layer.succeed(UploadLimit, { maxBytes: config.upload_limit }),
      Layer.succeed(MemberQuota, {
        recordings: config.quota_recordings,
        bytes: config.quota_bytes,
        uploads: config.quota_uploads
      }),
      Layer.succeed(UploadPolicy, { unknownContent: "refused" })
    )
  )

/** What requests and deliveries share. */
export const services = (config: Config, key: Key, directory: DataDirectory | null, listening: Listening) => {
  const media = mediaOptionsOf(config, directory)
  const working = config.role === "api" ? Layer.empty : layerMediaWorker(media)
  return Layer.mergeAll(watchAttempts(Dispatcher.layer, config), settingsUseCases, working).pipe(
    Layer.provideMerge(useCases),
    Layer.provideMerge(layerTestSender),
    Layer.provide(layerLazyNetwork(config)),
    Layer.provideMerge(Layer.merge(foundation(config, key, directory, listening), layerMediaWork(media)))
  )
}
