import { Deferred, Effect, Fiber, Latch, type Scope } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { bucketKind } from "./bucket.ts"
import { diskKind } from "./onADisk.ts"
import { attach, hashOf, life, noRows, type Opened, type Place, read, rowsOf, someBytes, write } from "./places.ts"
import { stopBackend } from "./s3/backend.ts"

const bytes = someBytes(5_000)
const other = someBytes(3_000)

afterAll(stopBackend)

describe.each([diskKind, bucketKind])(
  "content $name that is stored while the same content is removed",
  ({ makePlace }) => {
    const run = <A, E>(body: (place: Place) => Effect.Effect<A, E>) =>
      Effect.runPromise(Effect.scoped(Effect.flatMap(makePlace, body)))

    /** Files whose bytes wait for a gate before a removal, or before content is placed. */
    const gated = <A, E>(
      place: Place,
      gates: { readonly place?: Effect.Effect<void>; readonly remove?: Effect.Effect<void> },
      body: (opened: Opened) => Effect.Effect<A, E, Scope.Scope>
    ) =>
      life(
        {
          ...place,
          openBytes: Effect.map(place.openBytes, (bytes) => ({
            ...bytes,
            place: (received, key) => Effect.andThen(gates.place ?? Effect.void, bytes.place(received, key)),
            remove: (key) => Effect.andThen(gates.remove ?? Effect.void, bytes.remove(key))
          }))
        },
        body
      )

    it("is not removed, however late the removal arrives", () =>
      run((place) =>
        Effect.gen(function* () {
          const [removing, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const remove = Effect.andThen(Deferred.succeed(removing, undefined), Deferred.await(goOn))
          yield* gated(place, { remove }, (opened) =>
            Effect.gen(function* () {
              yield* write(opened, "a", bytes)
              yield* opened.files.repository.remove("a")
              const sweeping = yield* Effect.forkChild(opened.files.sweep)
              yield* Deferred.await(removing)
              yield* write(opened, "b", bytes)
              yield* Deferred.succeed(goOn, undefined)
              yield* Fiber.join(sweeping)
              expect((yield* read(opened, "b"))?.equals(bytes)).toBe(true)
              expect(yield* place.left).toEqual({ contents: [hashOf(bytes)], temporary: [] })
            })
          )
        })
      ))

    it("is stored again if it is removed between the look for it and the commit", () =>
      run((place) =>
        life(place, (opened) =>
          Effect.gen(function* () {
            const { database, files } = opened
            yield* write(opened, "a", bytes)
            const { write: commit } = database
            // The transaction that would refer to the content of `a` begins after that is gone.
            const removeFirst: typeof commit = (body) =>
              Effect.suspend(() => {
                Object.assign(database, { write: commit })
                return Effect.andThen(Effect.andThen(files.repository.remove("a"), files.sweep), commit(body))
              })
            Object.assign(database, { write: removeFirst })
            yield* write(opened, "b", bytes)
            expect((yield* read(opened, "b"))?.equals(bytes)).toBe(true)
            expect(yield* place.left).toEqual({ contents: [hashOf(bytes)], temporary: [] })
            expect(yield* rowsOf(opened)).toMatchObject({ contents: [[hashOf(bytes), 1]], removals: [] })
          })
        )
      ))

    it("is stored once if two files with it are stored at a time", () =>
      run((place) =>
        Effect.gen(function* () {
          const both = yield* Latch.make(false)
          let waiting = 0
          const gate = Effect.suspend(() => (++waiting === 2 ? Effect.asVoid(both.open) : both.await))
          yield* gated(place, { place: gate }, (opened) =>
            Effect.gen(function* () {
              yield* Effect.all([write(opened, "a", bytes), write(opened, "b", bytes)], { concurrency: 2 })
              yield* opened.files.sweep
              for (const id of ["a", "b"]) expect((yield* read(opened, id))?.equals(bytes)).toBe(true)
              expect(yield* place.left).toEqual({ contents: [hashOf(bytes)], temporary: [] })
              expect(yield* rowsOf(opened)).toMatchObject({ contents: [[hashOf(bytes), 2]], removals: [] })
            })
          )
        })
      ))

    it("is removed if its caller is interrupted before the commit", () =>
      run((place) =>
        Effect.gen(function* () {
          const placing = yield* Deferred.make<void>()
          const gate = Effect.andThen(Deferred.succeed(placing, undefined), Effect.never)
          yield* gated(place, { place: gate }, (opened) =>
            Effect.gen(function* () {
              const writing = yield* Effect.forkChild(write(opened, "a", bytes))
              yield* Deferred.await(placing)
              yield* Fiber.interrupt(writing)
              yield* opened.files.sweep
              // A request to a bucket may arrive in the next ten minutes.
              expect((yield* rowsOf(opened)).removals).toHaveLength(1)
              const { query, write: commit } = opened.database
              yield* commit(query("UPDATE content_removals SET due_at = 0"))
              yield* opened.files.sweep
              expect(yield* place.left).toEqual({ contents: [], temporary: [] })
              expect(yield* rowsOf(opened)).toEqual(noRows)
            })
          )
        })
      ))

    it("is not removed while a lookup may have found it", () =>
      run((place) =>
        life(place, (opened) =>
          Effect.gen(function* () {
            const { database, files } = opened
            yield* write(opened, "a", bytes)
            const { read: query } = database
            const looking = yield* Deferred.make<void>()
            // A lookup that does not end.
            const never: typeof query = () => Effect.andThen(Deferred.succeed(looking, undefined), Effect.never)
            Object.assign(database, { read: never })
            const lookup = yield* Effect.forkChild(files.repository.read("a", 0, 10))
            yield* Deferred.await(looking)
            Object.assign(database, { read: query })
            yield* files.repository.remove("a")
            const sweeping = yield* Effect.forkChild(files.sweep)
            // One that begins later finds nothing, and is not waited for.
            expect(yield* files.repository.read("a", 0, 10)).toBeUndefined()
            expect((yield* place.left).contents).toEqual([hashOf(bytes)])
            yield* Fiber.interrupt(lookup)
            yield* Fiber.join(sweeping)
            expect((yield* place.left).contents).toEqual([])
          })
        )
      ))

    it("is discarded with its file after a failed transaction, unless that was committed and its answer lost", () =>
      run((place) =>
        life(place, (opened) =>
          Effect.gen(function* () {
            const { repository, sweep } = opened.files
            yield* write(opened, "kept", bytes)
            yield* attach(opened, "r1", "kept")
            yield* write(opened, "loose", other)
            for (const id of ["kept", "loose", "never there"]) yield* repository.discard(id)
            yield* sweep
            expect((yield* read(opened, "kept"))?.equals(bytes)).toBe(true)
            expect(yield* read(opened, "loose")).toBeUndefined()
            expect((yield* place.left).contents).toEqual([hashOf(bytes)])
          })
        )
      ))
  }
)
