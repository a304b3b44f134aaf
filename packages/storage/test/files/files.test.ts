import { renameSync, rmSync, writeFileSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Cause, Deferred, Effect, Exit, Fiber, Stream } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { newContentKey } from "../../src/files/contentKey.ts"
import { openDatabase } from "../../src/sqlite/open.ts"
import { bucketKind } from "./bucket.ts"
import { diskKind } from "./onADisk.ts"
import {
  attach,
  collected,
  hashOf,
  life,
  noRows,
  type Opened,
  openBelow,
  type Place,
  pathOf,
  read,
  rowsOf,
  someBytes,
  write
} from "./places.ts"
import { stopBackend } from "./s3/backend.ts"

const bytes = someBytes(5_000)
const other = someBytes(3_000)

afterAll(stopBackend)

describe.each([diskKind, bucketKind])("$name", ({ crashes, makePlace }) => {
  const run = <A, E>(body: (place: Place) => Effect.Effect<A, E>) =>
    Effect.runPromise(Effect.scoped(Effect.flatMap(makePlace, body)))

  describe("files with the same content", () => {
    it("share it: it is stored once, until the last of them is removed", () =>
      run((place) =>
        life(place, (opened) =>
          Effect.gen(function* () {
            const { files } = opened
            yield* write(opened, "a", bytes)
            yield* write(opened, "b", bytes)
            yield* files.repository.save("c", { kind: "bytes", bytes })
            expect((yield* place.left).contents).toEqual([hashOf(bytes)])
            for (const id of ["a", "c"]) {
              yield* files.repository.remove(id)
              yield* files.repository.remove(id)
              yield* files.sweep
            }
            expect((yield* read(opened, "b"))?.equals(bytes)).toBe(true)
            yield* files.repository.remove("b")
            yield* files.sweep
            expect(yield* place.left).toEqual({ contents: [], temporary: [] })
            expect(yield* rowsOf(opened)).toEqual(noRows)
          })
        )
      ))

    it("do not include a file that got other content later", () =>
      run((place) =>
        life(place, (opened) =>
          Effect.gen(function* () {
            yield* write(opened, "a", bytes)
            yield* write(opened, "b", bytes)
            yield* write(opened, "a", other)
            yield* write(opened, "a", other)
            yield* opened.files.sweep
            expect((yield* place.left).contents).toEqual([hashOf(bytes), hashOf(other)].sort())
            yield* opened.files.repository.save("b", { kind: "made_up", sizeBytes: 5 })
            yield* opened.files.sweep
            expect((yield* place.left).contents).toEqual([hashOf(other)])
            expect((yield* read(opened, "a"))?.equals(other)).toBe(true)
          })
        )
      ))

    it("keep it if one is added while the last one is removed, in either order, and in one commit", () =>
      run((place) =>
        life(place, (opened) =>
          Effect.gen(function* () {
            const { files } = opened
            for (let round = 0; round < 20; round++) {
              yield* write(opened, `${round}`, bytes)
              const next = write(opened, `${round + 1}`, bytes)
              const gone = files.repository.remove(`${round}`)
              const together = round % 2 === 0 ? [next, gone, files.sweep] : [gone, files.sweep, next]
              yield* Effect.all(together, { concurrency: "unbounded", discard: true })
              expect((yield* read(opened, `${round + 1}`))?.equals(bytes)).toBe(true)
            }
            yield* files.sweep
            expect(yield* place.left).toEqual({ contents: [hashOf(bytes)], temporary: [] })
          })
        )
      ))
  })

  describe("a transaction that fails", () => {
    it("reverts what it saved and what it removed", () =>
      run((place) =>
        life(place, (opened) =>
          Effect.gen(function* () {
            const { database, files } = opened
            yield* write(opened, "a", bytes)
            const body = Effect.gen(function* () {
              yield* files.repository.remove("a")
              yield* files.repository.save("b", { kind: "made_up", sizeBytes: 5 })
              return yield* Effect.fail("no")
            })
            expect(yield* Effect.exit(database.transaction(body))).toEqual(Exit.fail("no"))
            yield* files.sweep
            expect((yield* read(opened, "a"))?.equals(bytes)).toBe(true)
            expect(yield* read(opened, "b")).toBeUndefined()
            expect(yield* place.left).toEqual({ contents: [hashOf(bytes)], temporary: [] })
          })
        )
      ))

    it("cannot contain the content of files: a bucket would delay it", () =>
      run((place) =>
        life(place, (opened) =>
          Effect.gen(function* () {
            const { database, files } = opened
            yield* write(opened, "a", bytes)
            const inside = (body: Effect.Effect<unknown>) =>
              Effect.map(Effect.exit(database.transaction(body)), (exit) =>
                Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
              )
            const refused = "Content is neither read nor written inside a transaction"
            expect(yield* inside(files.repository.save("b", { kind: "bytes", bytes: other }))).toContain(refused)
            expect(yield* inside(read(opened, "a"))).toContain(refused)
            expect(yield* inside(files.repository.save("b", { kind: "bytes", bytes }))).toBe("")
            expect((yield* read(opened, "b"))?.equals(bytes)).toBe(true)
            yield* files.sweep
            expect(yield* place.left).toEqual({ contents: [hashOf(bytes)], temporary: [] })
          })
        )
      ))
  })

  describe("a reading", () => {
    it("is served if the file is removed before it begins; then the space is freed", () =>
      run((place) =>
        life(place, (opened) =>
          Effect.gen(function* () {
            const { files } = opened
            yield* write(opened, "a", bytes)
            const reading = (yield* files.repository.read("a", 0, 10_000))!
            yield* files.repository.remove("a")
            yield* files.sweep
            expect(openBelow(place.data)).toEqual([])
            expect((yield* collected(reading)).equals(bytes)).toBe(true)
            yield* files.sweep
            expect(yield* place.left).toEqual({ contents: [], temporary: [] })
          })
        )
      ))

    it("that never begins, because its request was cancelled, does not delay removals for long", () =>
      run((place) =>
        life(place, (opened) =>
          Effect.gen(function* () {
            const { files } = opened
            yield* write(opened, "a", bytes)
            yield* Effect.forEach([1, 2, 3], () => Effect.asVoid(files.repository.read("a", 0, 10)))
            yield* files.repository.remove("a")
            setFlagsFromString("--expose-gc")
            const collectGarbage = runInNewContext("gc") as () => void
            // Who holds a reading is told of its end by the garbage collector, at a time of its own.
            for (let round = 0; round < 200 && (yield* place.left).contents.length > 0; round++) {
              collectGarbage()
              yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
              yield* files.sweep
            }
            expect(yield* place.left).toEqual({ contents: [], temporary: [] })
          })
        )
      ))

    it("in progress continues while the file is removed; then the space is freed", () =>
      run((place) =>
        life(place, (opened) =>
          Effect.gen(function* () {
            const { files } = opened
            const large = someBytes(1_000_000)
            yield* write(opened, "a", large)
            const [begun, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
            const slowly = Stream.mapEffect((yield* files.repository.read("a", 0, 1_000_000))!, (piece) =>
              Effect.as(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(goOn)), piece)
            )
            const reader = yield* Effect.forkChild(collected(slowly))
            yield* Deferred.await(begun)
            yield* files.repository.remove("a")
            yield* files.sweep
            expect((yield* place.left).contents).toEqual([hashOf(large)])
            yield* Deferred.succeed(goOn, undefined)
            expect((yield* Fiber.join(reader)).equals(large)).toBe(true)
            yield* files.sweep
            expect((yield* place.left).contents).toEqual([])
            expect(openBelow(place.data)).toEqual([])
          })
        )
      ))
  })

  /** What a crash leaves between two steps, made by hand; then the next start. `a` is kept by a recording, and must be there. */
  describe("after a crash", () => {
    it("removes hundreds of orphans, and no content that is used", () =>
      run((place) =>
        life(place, (opened) =>
          Effect.gen(function* () {
            for (let n = 0; n < 30; n++) yield* write(opened, `kept ${n}`, Buffer.from(`kept ${n}`))
            const left = Array.from({ length: 250 }, (_, n) => Buffer.from(`left ${n}`))
            yield* Effect.forEach(left, place.leave, { concurrency: 8, discard: true })
            yield* opened.files.sweep
            const kept = Array.from({ length: 30 }, (_, n) => hashOf(Buffer.from(`kept ${n}`)))
            expect((yield* place.left).contents).toEqual(kept.sort())
          })
        )
      ))

    /** The database alone, as after a crash: no collection runs. */
    const afterwards = <A, E>({ data }: Place, body: (database: Opened["database"]) => Effect.Effect<A, E>) =>
      Effect.scoped(Effect.flatMap(Effect.orDie(openDatabase(`${data}/tapedeck.db`)), body))

    const insertFile = ({ query, write }: Opened["database"], id: string, sha256: string, since: number | null) =>
      write(
        query("INSERT INTO files (id, sha256, size_bytes, unattached_since) VALUES (?, ?, 3000, ?)", id, sha256, since)
      )

    const insertContent = ({ query, write }: Opened["database"], key: string, refs: number) =>
      write(query("INSERT INTO file_contents VALUES (?, ?, ?, ?)", hashOf(other), key, other.length, refs))

    const insertRemoval = ({ query, write }: Opened["database"], key: string) =>
      write(query("INSERT INTO content_removals VALUES (?, ?)", key, Number.MAX_SAFE_INTEGER))

    const states: ReadonlyArray<readonly [string, (place: Place) => Effect.Effect<unknown>]> = [
      ["after content was stored, of which the database knows nothing", (place) => place.leave(other)],
      [
        "before content is stored",
        (place) => afterwards(place, (db) => insertRemoval(db, newContentKey(hashOf(other))))
      ],
      [
        "between the storing of content and its commit",
        (place) => Effect.flatMap(place.leave(other), (key) => afterwards(place, (db) => insertRemoval(db, key)))
      ],
      ["between a file's commit and its recording's", (place) => life(place, (opened) => write(opened, "new", other))],
      [
        "between the commit of a recording's other file and the removal of the one before",
        (place) =>
          life(place, (opened) =>
            Effect.andThen(
              write(opened, "new", other),
              Effect.andThen(attach(opened, "r2", "new"), attach(opened, "r2"))
            )
          )
      ],
      [
        "between the commit of a recording's removal and that of its files",
        (place) =>
          life(place, (opened) =>
            Effect.andThen(
              write(opened, "new", other),
              Effect.andThen(attach(opened, "r2", "new"), opened.files.detach("r2" as never))
            )
          )
      ],
      [
        "before the removal of released content is scheduled",
        (place) => Effect.flatMap(place.leave(other), (key) => afterwards(place, (db) => insertContent(db, key, 0)))
      ],
      ...crashes.map(([when, crash]) => [when, (place: Place) => crash(place, other)] as const)
    ]

    it.each(states)("%s, keeps used content and removes everything else", (_when, crash) =>
      run((place) =>
        Effect.gen(function* () {
          yield* life(place, (opened) => Effect.andThen(write(opened, "a", bytes), attach(opened, "r1", "a")))
          yield* crash(place)
          yield* life(place, (opened) =>
            Effect.gen(function* () {
              yield* opened.files.sweep
              expect((yield* read(opened, "a"))?.equals(bytes)).toBe(true)
              expect(yield* place.left).toEqual({ contents: [hashOf(bytes)], temporary: [] })
              expect(yield* rowsOf(opened)).toEqual({
                files: [["a", hashOf(bytes), null]],
                contents: [[hashOf(bytes), 1]],
                removals: []
              })
            })
          )
        })
      )
    )

    it("stores content again of which a backup has the row without the bytes, because no file had it", () =>
      run((place) =>
        Effect.gen(function* () {
          yield* life(place, () => Effect.void)
          yield* afterwards(place, (db) => insertContent(db, newContentKey(hashOf(other)), 0))
          yield* life(place, (opened) =>
            Effect.gen(function* () {
              yield* write(opened, "a", other)
              expect((yield* read(opened, "a"))?.equals(other)).toBe(true)
            })
          )
        })
      ))

    it("keeps a recording's files over any number of starts, generated ones too", () =>
      run((place) =>
        Effect.gen(function* () {
          yield* life(place, (opened) =>
            Effect.gen(function* () {
              yield* write(opened, "a", bytes)
              yield* write(opened, "b", other)
              yield* opened.files.repository.save("m", { kind: "made_up", sizeBytes: 2 ** 40 })
              yield* attach(opened, "r1", "a", "b", "m")
              yield* attach(opened, "r1", "b", "a", "m")
            })
          )
          for (let start = 0; start < 3; start++) {
            yield* life(place, (opened) =>
              Effect.gen(function* () {
                yield* opened.files.sweep
                expect((yield* read(opened, "a"))?.equals(bytes)).toBe(true)
                expect((yield* read(opened, "b"))?.equals(other)).toBe(true)
                const end = yield* opened.files.repository.read("m", 2 ** 40 - 3, 100)
                expect(yield* collected(end!)).toHaveLength(3)
              })
            )
          }
        })
      ))

    it("removes a file that its recording no longer has at the next start, even if another file has the same content", () =>
      run((place) =>
        Effect.gen(function* () {
          const key = yield* place.leave(other)
          yield* afterwards(place, (db) =>
            Effect.andThen(
              insertContent(db, key, 2),
              Effect.andThen(
                insertFile(db, "kept", hashOf(other), null),
                insertFile(db, "unattached", hashOf(other), 1)
              )
            )
          )
          yield* life(place, (opened) =>
            Effect.gen(function* () {
              yield* opened.files.sweep
              expect(yield* rowsOf(opened)).toEqual({
                files: [["kept", hashOf(other), null]],
                contents: [[hashOf(other), 1]],
                removals: []
              })
              expect((yield* read(opened, "kept"))?.equals(other)).toBe(true)
            })
          )
        })
      ))
  })
})

describe("a transaction", () => {
  it("that fails because of the disk leaves no row of content that could not be placed", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(diskKind.makePlace, (place) =>
          life(place, (opened) =>
            Effect.gen(function* () {
              yield* write(opened, "a", other)
              renameSync(`${place.data}/files`, `${place.data}/elsewhere`)
              writeFileSync(`${place.data}/files`, "no directory")
              const exit = yield* Effect.exit(write(opened, "b", bytes))
              expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain(pathOf(place.data, hashOf(bytes)))
              rmSync(`${place.data}/files`)
              renameSync(`${place.data}/elsewhere`, `${place.data}/files`)
              yield* opened.files.sweep
              expect(yield* read(opened, "b")).toBeUndefined()
              expect((yield* read(opened, "a"))?.equals(other)).toBe(true)
              expect(yield* place.left).toEqual({ contents: [hashOf(other)], temporary: [] })
            })
          )
        )
      )
    ))
})
