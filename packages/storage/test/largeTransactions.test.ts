import { Ids } from "@tapedeck/core"
import { type AccessToken, Instant, TokenId, UserId } from "@tapedeck/domain"
import { Effect } from "effect"
import { expect, test, vi } from "vitest"
import { SqliteConnection } from "../src/sqlite/client.ts"
import { rotateKey } from "../src/sqlite/index.ts"
import { updateSearchIndex } from "../src/sqlite/searchIndex.ts"
import { databaseIn, openStore, temporaryDirectory, vaultOf } from "./openStore.ts"
import { openRecordings, sample } from "./recordingsStore.ts"

const run = <A, E>(effect: Effect.Effect<A, E, never>) => Effect.runPromise(effect)

test("journals of savepoints are kept in files, so that a statement costs the same in a large transaction", () =>
  Effect.gen(function* () {
    const { database } = yield* openRecordings()
    const kept = database.query<[number]>("PRAGMA temp_store")
    // 2 is memory: lists that SQLite walks at the end of each statement.
    expect(yield* database.transaction(kept)).toEqual([[1]])
    expect(yield* kept).toEqual([[1]])
  }).pipe(Effect.scoped, run))

test("the event loop runs between the transactions in which the text index takes many changes in", () =>
  Effect.gen(function* () {
    const { database, recordings } = yield* openRecordings()
    yield* recordings.add(Array.from({ length: 2_600 }, (_, index) => sample({ id: index + 1, createdAt: index })))
    let turns = 0
    const turn = () => {
      turns += 1
      next = setImmediate(turn)
    }
    let next = setImmediate(turn)
    yield* updateSearchIndex(database)
    clearImmediate(next)
    expect(turns).toBeGreaterThanOrEqual(5)
    expect(yield* database.query("SELECT 1 FROM recording_search_changes")).toEqual([])
  }).pipe(Effect.scoped, run))

const aToken = (index: number, sealed: string): AccessToken => ({
  id: TokenId.make(`t${index}`),
  userId: UserId.make(1),
  name: "",
  kind: "access",
  hash: `hash of ${index}`,
  sealed,
  createdAt: Instant.make(0),
  revokedAt: null,
  lastUsedAt: null
})

/** Statements and rows of the rotation of a key with which that many tokens are sealed. */
const rotationOf = (tokens: number) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const [from, to] = [vaultOf(7), vaultOf(8)]
    yield* Effect.scoped(
      Effect.gen(function* () {
        const store = yield* openStore(directory, from)
        const save = Effect.fnUntraced(function* (index: number) {
          yield* store.tokens.save(aToken(index, yield* from.seal(`token ${index}`)))
        })
        yield* store.transaction(Effect.forEach(Array.from({ length: tokens }).keys(), save, { discard: true }))
      })
    )
    let work = 0
    const { values } = SqliteConnection.prototype
    const spy = vi.spyOn(SqliteConnection.prototype, "values").mockImplementation(function (
      this: SqliteConnection,
      text,
      parameters
    ) {
      const rows = values.call(this, text, parameters)
      const count = ({ length }: ReadonlyArray<unknown>) =>
        Effect.sync(() => {
          work += 1 + length
        })
      return Effect.tap(rows, count) as never
    })
    yield* Effect.ensuring(
      rotateKey(databaseIn(directory), { from, to }),
      Effect.sync(() => spy.mockRestore())
    )
    return work
  }).pipe(Effect.scoped, Effect.provide(Ids.layerRandom))

test("the rotation of a key costs the same for each secret, however many there are", () =>
  Effect.gen(function* () {
    const [none, few, many] = [yield* rotationOf(0), yield* rotationOf(400), yield* rotationOf(2_400)]
    expect(few - none).toBeGreaterThan(400)
    expect((many - few) / 2_000 / ((few - none) / 400)).toBeLessThan(1.1)
  }).pipe(run))
