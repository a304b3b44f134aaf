import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { type ChangesRequest, type Store, startOfMark } from "@tapedeck/core"
import { Effect } from "effect"
import { expect, test } from "vitest"
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
