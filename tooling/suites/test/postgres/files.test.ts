import type { Store } from "@tapedeck/core"
import { FileBytes } from "@tapedeck/storage/files"
import { readAll } from "@tapedeck/testkit"
import { instantAfter, startInstant } from "@tapedeck/testkit/samples"
import { Deferred, Effect, Layer, type Scope, Stream } from "effect"
import { afterAll, expect, test } from "vitest"
import type { TestDatabase } from "../../src/postgres/index.ts"
import { directory, emptyDatabase, openPostgres, stopPostgres } from "../conformance/postgres.ts"

afterAll(stopPostgres)

const bytes = Buffer.from("the same bytes")
const dayMs = 86_400_000

interface Nodes {
  readonly database: TestDatabase
  /** Another node. */
  readonly open: Effect.Effect<Store, never, Scope.Scope>
  readonly setTime: (afterMs: number) => Effect.Effect<unknown>
  /** The removals that the bucket was asked for, by key. */
  readonly removals: ReadonlyArray<string>
}

/** Nodes that share contents as they share a bucket. `remove` runs before the bucket does a removal. */
const withNodes = (
  body: (nodes: Nodes) => Effect.Effect<void, never, Scope.Scope>,
  remove: Effect.Effect<unknown> = Effect.void
) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const shared = yield* Effect.provide(FileBytes, FileBytes.layerMemory)
        const removals: Array<string> = []
        const bucket = Layer.succeed(FileBytes, {
          ...shared,
          remove: (key) =>
            Effect.andThen(
              Effect.andThen(
                Effect.sync(() => removals.push(key)),
                remove
              ),
              shared.remove(key)
            )
        })
        const database = yield* emptyDatabase
        const place = yield* directory
        const setTime = (afterMs: number) =>
          Effect.promise(() => database.query("UPDATE test_clock SET at = $1", [instantAfter(afterMs)]))
        yield* setTime(0)
        return yield* body({ database, open: openPostgres(database.url, place, bucket), setTime, removals })
      })
    )
  )

/** A user who may not read the cluster's number, and may do what else a node does, until the scope ends: the address. */
const limitedUser = ({ name, query, url }: TestDatabase) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      await query(`CREATE ROLE ${name} LOGIN PASSWORD 'limited'`)
      for (const kind of ["TABLES", "SEQUENCES"]) await query(`GRANT ALL ON ALL ${kind} IN SCHEMA public TO ${name}`)
      await query(`GRANT ALL ON SCHEMA public TO ${name}`)
      await query("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC")
      const limited = new URL(url)
      limited.username = name
      limited.password = "limited"
      return limited.href
    }),
    () =>
      Effect.promise(async () => {
        await query("GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC")
        await query(`DROP OWNED BY ${name}`)
        await query(`DROP ROLE ${name}`)
      })
  )

test("a node claims the files for its database, and for no database if its user may not read which it is", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const shared = yield* Effect.provide(FileBytes, FileBytes.layerMemory)
        const owners: Array<unknown> = []
        const claimed = Layer.succeed(FileBytes, {
          ...shared,
          claim: (owner) => Effect.map(owner, (one) => void owners.push(one))
        })
        const database = yield* emptyDatabase
        const place = yield* directory
        yield* Effect.scoped(openPostgres(database.url, place, claimed))
        yield* Effect.scoped(openPostgres(yield* limitedUser(database), place, claimed))
        const numbers =
          "SELECT (SELECT system_identifier FROM pg_control_system())::text AS cluster, " +
          "(SELECT oid FROM pg_database WHERE datname = current_database())::text AS number"
        const [row] = yield* Effect.promise(() => database.query(numbers))
        const [installation] = yield* Effect.promise(() =>
          database.query("SELECT value AS installation FROM meta WHERE name = 'installation'")
        )
        expect(owners).toContainEqual({ ...installation, database: `${row?.cluster}/${row?.number}` })
        expect(owners.at(-1)).toEqual({ ...installation, database: undefined })
      })
    )
  ))

/** Makes the removal of unused content due when it is scheduled, and wakes a node. */
const makeDue = Effect.fnUntraced(function* (database: TestDatabase, store: Store) {
  const hasten = () => database.query("UPDATE content_removals SET due_at = 0 RETURNING 1")
  while ((yield* Effect.promise(hasten)).length === 0) yield* Effect.yieldNow
  yield* store.files.write("other", Stream.make(Buffer.from("other")))
  yield* store.files.remove("other")
})

test("content that one node stores while another removes the same content is not lost, however late the removal is", async () => {
  const [removing, goOn] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
  const gate = Effect.andThen(Deferred.succeed(removing, undefined), Deferred.await(goOn))
  await withNodes(
    ({ database, open, removals }) =>
      Effect.gen(function* () {
        const [one, other] = [yield* open, yield* open]
        yield* one.files.write("a", Stream.make(bytes))
        yield* one.files.remove("a")
        yield* makeDue(database, one)
        yield* Deferred.await(removing)
        yield* other.files.write("b", Stream.make(bytes))
        yield* Deferred.succeed(goOn, undefined)
        // The row of a removal goes last.
        const removed = () => database.query("SELECT 1 FROM content_removals WHERE key = $1", [removals[0]])
        while ((yield* Effect.promise(removed)).length > 0) yield* Effect.yieldNow
        expect(yield* readAll(one, "b", 100)).toEqual(bytes)
        expect(yield* readAll(other, "b", 100)).toEqual(bytes)
      }),
    gate
  )
})

test("content stays for a minute after its last file is removed, for downloads of other nodes", () =>
  withNodes(({ database, open }) =>
    Effect.gen(function* () {
      const [one, other] = [yield* open, yield* open]
      yield* one.files.write("a", Stream.make(bytes))
      const reading = (yield* other.files.read("a", 0, 100))!
      yield* one.files.remove("a")
      const dueAt = () => database.query("SELECT due_at::float8 FROM content_removals")
      while ((yield* Effect.promise(dueAt)).length === 0) yield* Effect.yieldNow
      const [removal] = yield* Effect.promise(dueAt)
      expect(removal?.due_at).toBeGreaterThanOrEqual(startInstant + 60_000)
      expect(Buffer.concat([...(yield* Stream.runCollect(reading))])).toEqual(bytes)
    })
  ))

test("a file that no recording has is removed after a day, also by a node that started meanwhile", () =>
  withNodes(({ database, open, setTime }) =>
    Effect.gen(function* () {
      const one = yield* open
      yield* one.files.write("early", Stream.make(bytes))
      yield* setTime(dayMs / 2)
      const other = yield* open
      yield* other.files.write("late", Stream.make(bytes))
      yield* setTime(1.2 * dayMs)
      const third = yield* open
      const ids = () => database.query("SELECT id FROM files ORDER BY id")
      while ((yield* Effect.promise(ids)).length > 1) yield* Effect.yieldNow
      expect(yield* Effect.promise(ids)).toEqual([{ id: "late" }])
      expect(yield* readAll(third, "late", 100)).toEqual(bytes)
    })
  ))
