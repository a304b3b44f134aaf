import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Ids, Vault, wholeStore } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { FileBytes } from "@tapedeck/storage/files"
import { layerPostgres } from "@tapedeck/storage/postgres"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import { Client } from "pg"
import { startPostgres, type TestDatabases, unsynced } from "../../src/postgres/index.ts"
import { memoryFolder } from "../../src/support/memory.ts"

const vault = Vault.layer(Redacted.make(new Uint8Array(32).fill(7)))

/** The time that a test sets, as the database reads it. */
const clock = "(SELECT at FROM test_clock)"

const filesIn = (place: string) =>
  FileBytes.layerDisk({ directory: join(place, "files"), temporary: join(place, "tmp") })

/** The store in a database, for as long as the scope lasts: a node of a cluster. Its files are on a disk, or where `files` says. */
export const openPostgres = (
  url: string,
  place: string,
  files: Layer.Layer<FileBytes> = filesIn(place),
  more: Pick<Parameters<typeof layerPostgres>[0], "shared"> = {}
) => {
  const layer = layerPostgres({ url: Redacted.make(url), clock, connections: 4, ...more })
  return Layer.build(layer.pipe(Layer.provide([vault, Ids.layerRandom, files]))).pipe(
    Effect.flatMap((context) => Effect.provideContext(wholeStore, context)),
    Effect.orDie
  )
}

let postgres: Promise<TestDatabases> | undefined

/** One server for a test file. */
const server = () => (postgres ??= startPostgres(unsynced))

export const stopPostgres = async () => {
  const started = postgres
  postgres = undefined
  await Promise.all(free.splice(0).map(({ client }) => client.end()))
  await (await started)?.close()
}

/** An empty database at this program's version, with a clock that stands still, and a connection: each new one is a process. */
const makeDatabase = async () => {
  const database = await (await server()).createDatabase()
  await database.query("CREATE TABLE test_clock (at BIGINT NOT NULL)")
  await database.query("INSERT INTO test_clock VALUES (0)")
  const place = mkdtempSync(join(tmpdir(), "tapedeck-migrating-"))
  await Effect.runPromise(Effect.scoped(openPostgres(database.url, place)))
  rmSync(place, { recursive: true })
  const client = new Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query<{ text: string }>(emptying)
  return { database, client, emptying: rows[0]!.text }
}

/** The statements that empty a database: making another takes ten times as long. */
const emptying = `
  SELECT (SELECT string_agg(format('DELETE FROM %I;', tablename), ' ') FROM pg_tables
      WHERE schemaname = 'public' AND tablename NOT IN ('migrations', 'test_clock', 'files', 'file_contents'))
    || 'DELETE FROM files; DELETE FROM file_contents; INSERT INTO recording_revisions VALUES (1, 0); INSERT INTO recording_sync VALUES (1, 0, 0);'
    || (SELECT string_agg(format('SELECT setval(%L, 1, false);', sequencename), ' ') FROM pg_sequences) AS text`

const free: Array<Awaited<ReturnType<typeof makeDatabase>>> = []

const connectedDatabase = Effect.acquireRelease(
  Effect.promise(async () => free.pop() ?? (await makeDatabase())),
  (made) =>
    Effect.promise(async () => {
      await made.client.query(made.emptying)
      free.push(made)
    })
)

/** An empty database, for as long as the scope lasts. */
export const emptyDatabase = Effect.map(connectedDatabase, ({ database }) => database)

/** A directory of its own, gone with its scope. */
export const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(memoryFolder() ?? tmpdir(), "tapedeck-conformance-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** An empty store, which can be closed and opened again. */
export const emptyPostgres = Effect.gen(function* () {
  const { client, database } = yield* connectedDatabase
  const place = yield* directory
  let opened = yield* Scope.make()
  const close = Effect.suspend(() => Scope.close(opened, Exit.void))
  const open = Effect.gen(function* () {
    opened = yield* Scope.make()
    return yield* Scope.provide(openPostgres(database.url, place), opened)
  })
  yield* Effect.addFinalizer(() => close)
  const setTime = (now: Instant) => Effect.promise(() => client.query("UPDATE test_clock SET at = $1", [now]))
  return { place, store: yield* open, close, reopen: Effect.andThen(close, open), setTime }
})
