import { Deferred, Effect, Fiber, Latch, type Scope } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { bucketKind } from "./bucket.ts"
import { diskKind } from "./onADisk.ts"
import { hashOf, life, noRows, type Opened, type Place, read, rowsOf, someBytes, write } from "./places.ts"
import { stopBackend } from "./s3/backend.ts"

const bytes = someBytes(5_000)

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
              expect(yield* place.left).toEqual({ contents: [], temporary: [] })
              expect(yield* rowsOf(opened)).toEqual(noRows)
            })
          )
        })
      ))
  }
)
