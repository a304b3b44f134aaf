import { Deferred, Effect, Exit, Fiber, Stream } from "effect"
import fc from "fast-check"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { readAll } from "./readAll.ts"

export const files = (promised: Promised): void => {
  const bytes = Uint8Array.from({ length: 1_000 }, (_, index) => (index * 7) & 0xff)

  describe("a file", () => {
    promised("is read whole, and by range", ({ store }) =>
      Effect.gen(function* () {
        yield* store.files.save("f", { kind: "bytes", bytes })
        expect(yield* readAll(store, "f", 1_000)).toEqual(Buffer.from(bytes))
        expect(yield* readAll(store, "f", 10, 990)).toEqual(Buffer.from(bytes.subarray(990)))
        expect(yield* readAll(store, "f", 1, 500)).toEqual(Buffer.from(bytes.subarray(500, 501)))
      })
    )

    promised("ends where it ends", ({ store }) =>
      Effect.gen(function* () {
        yield* store.files.save("f", { kind: "bytes", bytes })
        yield* store.files.save("m", { kind: "made_up", sizeBytes: 1_000 })
        for (const id of ["f", "m"]) {
          expect(yield* readAll(store, id, 100, 950)).toHaveLength(50)
          expect(yield* readAll(store, id, 100, 1_000)).toHaveLength(0)
          expect(yield* readAll(store, id, 0, 10)).toHaveLength(0)
        }
      })
    )

    promised("that is empty is a file, and one that is not there is none", ({ store }) =>
      Effect.gen(function* () {
        yield* store.files.save("f", { kind: "bytes", bytes: new Uint8Array(0) })
        expect(yield* readAll(store, "f", 10)).toEqual(Buffer.alloc(0))
        expect(yield* readAll(store, "F", 10)).toBeUndefined()
      })
    )

    promised("is replaced by saving it again", ({ store }) =>
      Effect.gen(function* () {
        yield* store.files.save("f", { kind: "made_up", sizeBytes: 5 })
        yield* store.files.save("f", { kind: "bytes", bytes: Uint8Array.of(1, 2) })
        expect(yield* readAll(store, "f", 10)).toEqual(Buffer.of(1, 2))
      })
    )

    promised("is written from its bytes as they come, however they are cut", ({ store }) =>
      Effect.gen(function* () {
        for (const size of [1, 7, 1_000, 5_000]) {
          const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
            bytes.subarray(index * size, (index + 1) * size)
          )
          expect(yield* store.files.write(`in ${size}`, Stream.fromIterable(pieces))).toBe(1_000)
          expect(yield* readAll(store, `in ${size}`, 2_000)).toEqual(Buffer.from(bytes))
        }
        expect(yield* store.files.write("empty", Stream.empty)).toBe(0)
        expect(yield* readAll(store, "empty", 10)).toEqual(Buffer.alloc(0))
      })
    )

    promised("is not there where its bytes broke off, or whoever wrote it gave up", ({ store }) =>
      Effect.gen(function* () {
        const broken = Stream.concat(Stream.make(bytes), Stream.fail("broke off" as const))
        expect(yield* Effect.exit(store.files.write("f", broken))).toEqual(Exit.fail("broke off"))
        expect(yield* readAll(store, "f", 10)).toBeUndefined()

        const begun = yield* Deferred.make<void>()
        const endless = Stream.concat(
          Stream.make(bytes),
          Stream.fromEffect(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
        )
        const writing = yield* Effect.forkChild(store.files.write("g", endless))
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(writing)
        expect(yield* readAll(store, "g", 10)).toBeUndefined()
      })
    )

    promised("that is removed is gone, and a reading that has begun goes on", ({ store }) =>
      Effect.gen(function* () {
        yield* store.files.save("f", { kind: "bytes", bytes })
        const reading = (yield* store.files.read("f", 0, 1_000))!
        yield* store.files.remove("f")
        yield* store.files.remove("never there")
        expect(yield* readAll(store, "f", 10)).toBeUndefined()
        expect(Buffer.concat([...(yield* Stream.runCollect(reading))])).toEqual(Buffer.from(bytes))
      })
    )

    promised("of made-up bytes has the same ones in every reading, whatever the range", ({ store }) =>
      Effect.gen(function* () {
        const sizeBytes = 300_000
        yield* store.files.save("m", { kind: "made_up", sizeBytes })
        yield* store.files.save("n", { kind: "made_up", sizeBytes })
        const whole = (yield* readAll(store, "m", sizeBytes))!
        expect(whole).toHaveLength(sizeBytes)
        expect(new Set(whole).size).toBe(256)
        expect(whole.equals((yield* readAll(store, "n", sizeBytes))!)).toBe(true)
        const ranges = fc.sample(fc.tuple(fc.nat(sizeBytes), fc.nat(140_000)), { numRuns: 50, seed: 7 })
        for (const [start, length] of ranges) {
          const part = (yield* readAll(store, "m", length, start))!
          expect([start, length, part.equals(whole.subarray(start, start + length))]).toEqual([start, length, true])
        }
      })
    )

    promised("of made-up bytes may be far larger than memory", ({ store }) =>
      Effect.gen(function* () {
        const sizeBytes = 2 ** 42
        yield* store.files.save("m", { kind: "made_up", sizeBytes })
        const end = (yield* readAll(store, "m", 100, sizeBytes - 10))!
        expect(end).toHaveLength(10)
        expect(end).toEqual(yield* readAll(store, "m", 10, sizeBytes - 10))
      })
    )

    promised("that a failed transaction saved is not there", ({ store }) =>
      Effect.gen(function* () {
        const save = store.files.save("f", { kind: "bytes", bytes })
        yield* Effect.exit(store.transaction(Effect.andThen(save, Effect.fail("no"))))
        expect(yield* readAll(store, "f", 10)).toBeUndefined()
      })
    )
  })
}
