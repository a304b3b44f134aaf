import { randomUUID } from "node:crypto"
import { join } from "node:path"
import {
  emptyWorld,
  Ids,
  Mailer,
  MediaJobs,
  makeMemoryStore,
  RequestIds,
  ServiceConfig,
  SummaryJobs,
  settingsUseCases,
  storeContext,
  TestSender,
  UploadPolicy,
  useCases,
  Vault
} from "@tapedeck/core"
import { makeTestSender } from "@tapedeck/dispatcher"
import { Effect, Layer, type Redacted } from "effect"
import { type Config, hasMetrics } from "../config/Config.ts"
import type { DataDirectory } from "../config/dataDirectory.ts"
import type { Key } from "../config/key/keyText.ts"
import { watchMails } from "../observe/mails.ts"
import { layerWatchedSignIn } from "../observe/signIns.ts"
import { layerFiles } from "./files.ts"
import { layerLazyNetwork } from "./lazyNetwork.ts"
import { mailerOf } from "./mailer.ts"
import { type Listening, serviceConfigOf } from "./serviceConfig.ts"

const dayMs = 24 * 3_600_000

/** A store in the memory of this process. */
const memory = Layer.effectContext(Effect.sync(() => storeContext(makeMemoryStore(emptyWorld(), randomUUID()).store)))

/** The store in the data directory. Loads SQLite only if it is used. */
const sqlite = (config: Config, directory: DataDirectory) =>
  Layer.unwrap(
    Effect.promise(async () => {
      const { layerSqlite } = await import("@tapedeck/storage/sqlite")
      return Layer.provide(layerSqlite({ file: directory.database }), layerFiles(config, directory))
    })
  )

/** The store in a PostgreSQL database, which other processes may use too. */
const postgres = (config: Config, directory: DataDirectory, url: Redacted.Redacted) =>
  Layer.unwrap(
    Effect.promise(async () => {
      const { layerPostgres } = await import("@tapedeck/storage/postgres")
      const shared = { path: join(directory.path, "tmp"), looseMs: dayMs }
      const options = { url, connections: config.database_connections, shared }
      return Layer.provide(layerPostgres(options), layerFiles(config, directory))
    })
  )

const storeIn = (config: Config, directory: DataDirectory | null) => {
  if (directory === null) return memory
  return config.database_url === undefined
    ? sqlite(config, directory)
    : postgres(config, directory, config.database_url)
}

/** Store, vault, ids and settings, with the wall clock and the system's randomness. */
export const foundation = (config: Config, key: Key, directory: DataDirectory | null, listening?: Listening) => {
  const service = serviceConfigOf(config, listening)
  const mailer = mailerOf(config, service.publicUrl)
  return Layer.provideMerge(
    storeIn(config, directory),
    Layer.mergeAll(
      Vault.layer(key),
      Layer.succeed(Mailer, hasMetrics(config) ? watchMails(mailer) : mailer),
      Ids.layerRandom,
      RequestIds.layerRandom,
      Layer.succeed(ServiceConfig, service),
      Layer.succeed(UploadPolicy, { unknownContent: "refused" })
    )
  )
}

/** The services of requests, deliveries and jobs, with the network. */
export const services = (config: Config, key: Key, directory: DataDirectory | null, listening: Listening) =>
  Layer.mergeAll(
    hasMetrics(config) ? Layer.provideMerge(layerWatchedSignIn, settingsUseCases) : settingsUseCases,
    MediaJobs.layer,
    SummaryJobs.layer
  ).pipe(
    Layer.provideMerge(useCases),
    Layer.provideMerge(TestSender.layer(makeTestSender)),
    Layer.provideMerge(layerLazyNetwork(config)),
    Layer.provideMerge(foundation(config, key, directory, listening))
  )
