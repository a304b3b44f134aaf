import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type ChangesRequest, type Store, startOfMark } from "@tapedeck/core"
import { Effect } from "effect"
import { expect, test, vi } from "vitest"
import { SqliteConnection } from "../src/sqlite/client.ts"
import { copyDatabase } from "../src/sqlite/index.ts"
import { databaseIn, openStore, temporaryDirectory } from "./openStore.ts"
import { acme as accountId, sample } from "./recordingsStore.ts"

/** The place after all changes so far, as a reader keeps it. */
const placeAfterAll = (store: Store) =>
  Effect.map(
    store.recordings.changesSince({ accountId, after: null, limit: 10 }),
    ({ horizon, origin }): ChangesRequest => ({
      accountId,
      after: startOfMark(horizon),
      origin: { name: origin, seen: horizon },
      removalsFrom: 0,
      limit: 10
    })
  )

test("a restored database continues the changes before its copy, and refuses places that the original reached later", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const restored = join(directory, "restored")
    mkdirSync(restored)
    const store = yield* openStore(directory)
    yield* store.recordings.add([sample({ id: 1 })])
    const early = yield* placeAfterAll(store)
    yield* store.recordings.add([sample({ id: 2 })])
    const atCopy = yield* placeAfterAll(store)
    copyDatabase(databaseIn(directory), databaseIn(restored))
    yield* store.recordings.add([sample({ id: 3 })])
    const late = yield* placeAfterAll(store)

    const copy = yield* openStore(restored)
    const read = (place: ChangesRequest) => copy.recordings.changesSince(place)
    // So many changes that the copy passes the original's marks.
    for (const id of [11, 12, 13, 14]) yield* copy.recordings.add([sample({ id })])
    expect((yield* read(early)).changes).toHaveLength(5)
    expect((yield* read(atCopy)).changes).toHaveLength(4)
    expect(yield* read(late)).toMatchObject({ isContinuous: false, changes: [] })
    // The original goes on.
    expect(yield* store.recordings.changesSince(late)).toMatchObject({ isContinuous: true, changes: [] })
  }).pipe(Effect.scoped, Effect.runPromise))

test("changes do not continue if removals are forgotten after the place was checked and before they are read", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const store = yield* openStore(directory)
    const recording = sample({ id: 1 })
    yield* store.recordings.add([recording])
    const place = yield* placeAfterAll(store)
    yield* store.recordings.remove(recording.uuid)
    const retention = yield* Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(databaseIn(directory))),
      (database) => Effect.sync(() => database.close())
    )
    const { values } = SqliteConnection.prototype
    const spy = vi.spyOn(SqliteConnection.prototype, "values").mockImplementation(function (
      this: SqliteConnection,
      sql,
      params
    ) {
      if (sql.includes("FROM recording_removals removals"))
        retention.exec(`
          UPDATE recording_sync SET forgotten = (SELECT max(changed) FROM recording_removals) WHERE id = 1;
          DELETE FROM recording_removals`)
      return values.call(this, sql, params) as never
    })
    const found = yield* Effect.ensuring(
      store.recordings.changesSince(place),
      Effect.sync(() => spy.mockRestore())
    )
    expect(found).toMatchObject({ isContinuous: false, changes: [] })
  }).pipe(Effect.scoped, Effect.runPromise))
