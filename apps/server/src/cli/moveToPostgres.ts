import { Vault } from "@tapedeck/core"
import type { FileBytes } from "@tapedeck/storage/files"
import { type ContentRow, sha256Of } from "@tapedeck/storage/sqlite"
import { Cause, Context, Effect, Exit, Layer, type Redacted, Result, Stream } from "effect"
import { type Config, readConfig, type Written } from "../config/Config.ts"
import { cluster } from "../config/cluster.ts"
import { type DataDirectory, DataRefused, existingDataDirectory } from "../config/dataDirectory.ts"
import { findKey } from "../config/key/findKey.ts"
import { KeyRefused } from "../config/key/keyText.ts"
import { bucketOf } from "../serve/files.ts"
import { type OperatorArguments, UsageError } from "./commandLine.ts"
import { exitCodes } from "./usage.ts"

/**
 * `tapedeck migrate --from sqlite:DIR [--to postgres://…]`: copies all data of a data directory into a PostgreSQL database, and
 * its videos into the bucket, if one is set. The server must be stopped. The directory stays unchanged.
 */
export const moveToPostgres = async (written: Written, { optionValues }: OperatorArguments): Promise<number> => {
  const config = readConfig(written)
  const source = sourceOf(optionValues.get("from"))
  const url = targetOf(optionValues.get("to"), config)
  const directory = existingDataDirectory(source)
  await checkKey(written, directory)
  const { moveDatabase } = await import("@tapedeck/storage/move")
  const files = Effect.scoped(moveFiles(config, directory))
  const { before: videos, tables } = await run(moveDatabase(directory.database, { url }, files))
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const text = [
    ...tables
      .filter((table) => table.rows > 0)
      .map((table) => `${table.name}: ${table.rows} rows, sha256 ${table.sha256}`),
    `${directory.path}: ${rows} rows in ${tables.length} tables copied to the PostgreSQL database and verified`,
    videos === undefined
      ? `The videos stay in ${directory.files}: every process needs them there. Or set TAPEDECK_FILES and run the command again.`
      : `${videos} videos copied to the bucket and verified`,
    "Start the server with TAPEDECK_DATABASE_URL and the key of the directory. The directory is no longer used.",
    ""
  ].join("\n")
  process.stdout.write(optionValues.has("json") ? `${JSON.stringify({ tables, files: videos ?? null })}\n` : text)
  return exitCodes.stopped
}

/** Servers need the directory's key on PostgreSQL too: without it nothing is moved. */
const checkKey = async ({ environment }: Written, directory: DataDirectory): Promise<void> => {
  const { isKeyOf } = await import("@tapedeck/storage/sqlite")
  const { from, key } = findKey(environment, directory)
  if (await run(isKeyOf(directory.database, Vault.make(key)))) return
  const where = from === "environment" ? "the key of the environment" : directory.key
  throw new KeyRefused(`${where}: the database in ${directory.path} was last used with another key`)
}

const sourceOf = (from = ""): string => {
  const [, path] = /^sqlite:(?:\/\/)?(.+)$/.exec(from) ?? []
  if (path === undefined) throw new UsageError("--from: must be sqlite:DIR, the data directory to move")
  return path
}

/** Other users see options in a list of processes: a URL with a password is safer in the environment. */
const targetOf = (to: string | undefined, { database_url }: Config): Redacted.Redacted => {
  if (to === undefined) {
    if (database_url !== undefined) return database_url
    throw new UsageError("--to: name the target database, or set TAPEDECK_DATABASE_URL")
  }
  const read = cluster.database_url.parse(to)
  if (Result.isFailure(read)) throw new UsageError(`--to: ${read.failure}`)
  if (read.success === undefined) throw new UsageError("--to: needs a value")
  return read.success
}

/** Copies the videos into the bucket, if one is set, and returns their number. Skips videos that the bucket has. */
const moveFiles = Effect.fnUntraced(function* (config: Config, { database, files, temporary }: DataDirectory) {
  const bucket = bucketOf(config, temporary)
  if (bucket === undefined) return undefined
  const { FileBytes } = yield* Effect.promise(() => import("@tapedeck/storage/files"))
  const { contentsIn } = yield* Effect.promise(() => import("@tapedeck/storage/sqlite"))
  const from = yield* bytesOf(FileBytes, FileBytes.layerDisk({ directory: files, temporary }))
  const to = yield* bytesOf(FileBytes, FileBytes.layerS3(bucket))
  const there = new Set(yield* Stream.runCollect(to.list))
  const here = new Set(yield* Stream.runCollect(from.list))
  const contents = contentsIn(database)
  for (const content of contents) {
    if (there.has(content.key)) continue
    if (!here.has(content.key)) {
      throw new DataRefused(
        `${files}: ${content.key} of a recording is neither in the data directory nor in the bucket`
      )
    }
    yield* moveFile(from, to, content)
  }
  return contents.length
})

type Bytes = FileBytes["Service"]

const bytesOf = <E>(tag: typeof FileBytes, layer: Layer.Layer<FileBytes, E>) =>
  Effect.map(Layer.build(layer), (context) => Context.get(context, tag))

const moveFile = (from: Bytes, to: Bytes, { key, sizeBytes }: ContentRow) =>
  Effect.scoped(
    Effect.gen(function* () {
      const received = yield* to.receive(yield* from.read(key, 0, sizeBytes))
      // Content that was received but not placed has a temporary name, which the next start removes.
      if (received.sha256 !== sha256Of(key)) throw new DataRefused(`${key}: its bytes differ from its checksum`)
      yield* Effect.ensuring(to.place(received, key), to.drop(received))
    })
  )

/** Throws the failure or defect itself. */
const run = async <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}
