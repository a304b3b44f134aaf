import { chmodSync, chownSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import fs from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { dirname } from "node:path"
import { StorageFull } from "@tapedeck/core"
import { Cause, Deferred, Effect, Exit, Fiber, type Scope, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { newContentKey } from "../../src/files/contentKey.ts"
import { diskBytes } from "../../src/files/disk.ts"
import { FileError } from "../../src/files/errors.ts"
import {
  collected,
  dataDirectory,
  diskIn,
  hashOf,
  leaveContent,
  onDisk,
  openBelow,
  pathOf,
  piecesOf,
  someBytes
} from "./places.ts"

type Disk = Effect.Success<ReturnType<typeof diskBytes>>

const onADisk = <A, E>(body: (disk: Disk, data: string) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const data = yield* dataDirectory
        return yield* body(yield* diskBytes(diskIn(data)), data)
      })
    )
  )

const read = (disk: Disk, key: string, start: number, length: number) =>
  Effect.scoped(Effect.flatMap(disk.read(key, start, length), collected))

/** Stores content and returns its key. */
const stored = (disk: Disk, bytes: Stream.Stream<Uint8Array>) =>
  Effect.gen(function* () {
    const received = yield* disk.receive(bytes)
    const key = newContentKey(received.sha256)
    yield* disk.place(received, key)
    return key
  })

describe("content on a disk", () => {
  it("is stored under its key, readable by this user only", () =>
    onADisk((disk, data) =>
      Effect.gen(function* () {
        const bytes = someBytes(300_000)
        const received = yield* disk.receive(piecesOf(bytes, 7_777))
        expect(received).toMatchObject({ sha256: hashOf(bytes), sizeBytes: 300_000 })
        expect(onDisk(data).contents).toEqual([])
        const key = newContentKey(received.sha256)
        yield* disk.place(received, key)
        expect(onDisk(data)).toEqual({ contents: [hashOf(bytes)], temporary: [] })
        expect(yield* Stream.runCollect(disk.list)).toEqual([key])
        expect(statSync(pathOf(data, key)).mode & 0o777).toBe(0o600)
        expect((yield* read(disk, key, 0, 300_000)).equals(bytes)).toBe(true)
        const ranges = [
          [0, 1],
          [131_071, 2],
          [299_990, 100],
          [300_000, 5],
          [1, 262_145]
        ] as const
        for (const [start, length] of ranges) {
          const part = yield* read(disk, key, start, length)
          expect([start, part.equals(bytes.subarray(start, start + length))]).toEqual([start, true])
        }
        expect(openBelow(data)).toEqual([])
      })
    ))

  it("leaves no file, and none open, if its stream fails or is interrupted", () =>
    onADisk((disk, data) =>
      Effect.gen(function* () {
        const broken = Stream.concat(piecesOf(someBytes(100_000), 999), Stream.fail("aborted"))
        expect(yield* Effect.exit(disk.receive(broken))).toEqual(Exit.fail("aborted"))
        const begun = yield* Deferred.make<void>()
        const endless = Stream.concat(
          piecesOf(someBytes(100_000), 999),
          Stream.fromEffect(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
        )
        const fiber = yield* Effect.forkChild(disk.receive(endless))
        yield* Deferred.await(begun)
        expect(onDisk(data).temporary).toHaveLength(1)
        expect(openBelow(data)).toHaveLength(1)
        yield* Fiber.interrupt(fiber)
        expect(onDisk(data)).toEqual({ contents: [], temporary: [] })
        expect(openBelow(data)).toEqual([])
      })
    ))

  it("is closed if its reader is interrupted or stops", () =>
    onADisk((disk, data) =>
      Effect.gen(function* () {
        const key = yield* stored(disk, Stream.make(someBytes(1_000_000)))
        const reading = Stream.unwrap(disk.read(key, 0, 1_000_000))
        yield* Stream.runDrain(Stream.take(reading, 1))
        expect(openBelow(data)).toEqual([])
        const begun = yield* Deferred.make<void>()
        const slow = Stream.mapEffect(reading, () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
        const readers = yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.forkChild(Stream.runDrain(slow)))
        yield* Deferred.await(begun)
        yield* Effect.yieldNow
        expect(openBelow(data).length).toBeGreaterThan(0)
        yield* Fiber.interruptAll(readers)
        expect(openBelow(data)).toEqual([])
      })
    ))

  it("can be read to its end after it was removed, and its removal can be repeated", () =>
    onADisk((disk, data) =>
      Effect.gen(function* () {
        const bytes = someBytes(500_000)
        const key = yield* stored(disk, Stream.make(bytes))
        const opened = yield* disk.read(key, 0, 500_000)
        yield* disk.remove(key)
        expect(onDisk(data)).toEqual({ contents: [], temporary: [] })
        expect((yield* collected(opened)).equals(bytes)).toBe(true)
        yield* disk.remove(key)
      })
    ))

  it("of 5 GB is read at its end and as a stream in little memory", () =>
    onADisk((disk, data) =>
      Effect.gen(function* () {
        const sizeBytes = 5 * 1024 ** 3
        const key = leaveContent(data, Buffer.from("stands for 5 GB"))
        truncateSync(pathOf(data, key), sizeBytes)
        expect(yield* read(disk, key, sizeBytes - 10, 100)).toEqual(Buffer.alloc(10))
        const before = process.memoryUsage.rss()
        let [most, streamed] = [0, 0]
        yield* Stream.unwrap(disk.read(key, sizeBytes - 400 * 1024 ** 2, sizeBytes)).pipe(
          Stream.runForEach((piece) => {
            streamed += piece.length
            most = Math.max(most, process.memoryUsage.rss() - before)
            return Effect.void
          })
        )
        expect(streamed).toBe(400 * 1024 ** 2)
        expect(most).toBeLessThan(150 * 1024 ** 2)
      })
    ))

  it("removes files with temporary names, and no others", () =>
    onADisk((disk, data) =>
      Effect.gen(function* () {
        writeFileSync(`${data}/tmp/1.part`, "x")
        writeFileSync(`${data}/tmp/other`, "x")
        mkdirSync(`${data}/tmp/uploads`)
        yield* disk.clean
        expect(onDisk(data).temporary).toEqual(["other", "uploads"])
      })
    ))
})

describe("a disk with errors", () => {
  const defectOf = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.map(Effect.exit(effect), (exit) => (Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined))

  it("reports that it is full with the path, and keeps no partial file", () =>
    onADisk((disk, data) =>
      Effect.gen(function* () {
        const kept = yield* stored(disk, Stream.make(Buffer.from("kept")))
        const { open } = fs
        // The kernel's own file that is always full, in the place of the one that was asked for.
        fs.open = async (path, ...rest) => {
          await (await open(path, ...rest)).close()
          return open("/dev/full", "w")
        }
        syncBuiltinESMExports()
        const defect = yield* defectOf(disk.receive(Stream.make(someBytes(10_000)))).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              fs.open = open
              syncBuiltinESMExports()
            })
          )
        )
        expect(defect).toBeInstanceOf(StorageFull)
        expect((defect as StorageFull).path).toMatch(`${data}/tmp/`)
        expect(onDisk(data)).toEqual({ contents: [hashOf(Buffer.from("kept"))], temporary: [] })
        expect(yield* read(disk, kept, 0, 10)).toEqual(Buffer.from("kept"))
      })
    ))

  it("refuses files when it is nearly full: the rest is reserved for the database", () =>
    onADisk((disk, data) =>
      Effect.gen(function* () {
        const { statfs } = fs
        const MiB = 1024 ** 2
        let freeMiB = 264
        fs.statfs = (async (path: string) => ({
          ...(await statfs(path)),
          bsize: MiB,
          blocks: 100_000,
          // The file that comes takes it.
          bavail: freeMiB--
        })) as typeof statfs
        syncBuiltinESMExports()
        const defect = yield* defectOf(
          disk.receive(Stream.unfold(0, (n) => Effect.succeed(n < 1_000 ? [new Uint8Array(MiB), n + 1] : undefined)))
        ).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              fs.statfs = statfs
              syncBuiltinESMExports()
            })
          )
        )
        expect(defect).toBeInstanceOf(StorageFull)
        expect(freeMiB).toBe(254)
        expect(onDisk(data)).toEqual({ contents: [], temporary: [] })
      })
    ))

  it("reports a missing permission with the path", () =>
    onADisk((disk, data) =>
      Effect.gen(function* () {
        const received = yield* disk.receive(Stream.make(Buffer.from("x")))
        const key = newContentKey(received.sha256)
        const asAnother = (body: Effect.Effect<unknown>) =>
          Effect.ensuring(
            Effect.suspend(() => {
              if (process.geteuid?.() !== 0) return body
              chmodSync(data, 0o755)
              for (const name of ["files", "tmp"]) chownSync(`${data}/${name}`, 65_534, 65_534)
              process.seteuid?.(65_534)
              return body
            }),
            Effect.sync(() => process.getuid?.() === 0 && process.seteuid?.(0))
          )
        chmodSync(`${data}/files`, 0o500)
        chmodSync(`${data}/tmp`, 0o500)
        const problems: Array<unknown> = []
        const attempts = Effect.gen(function* () {
          problems.push(yield* defectOf(disk.receive(Stream.make(Buffer.from("y")))))
          problems.push(yield* defectOf(disk.place(received, key)))
        })
        yield* asAnother(attempts)
        for (const path of ["files", "tmp"]) chmodSync(`${data}/${path}`, 0o700)
        expect(problems.every((problem) => problem instanceof FileError)).toBe(true)
        expect(problems.map((problem) => (problem as FileError).message)).toEqual([
          expect.stringMatching(new RegExp(`^${data}/tmp/[^ ]+\\.part: this user may not read or write it$`)),
          `${pathOf(data, key)}: this user may not read or write it`
        ])
        expect(onDisk(data).contents).toEqual([])
      })
    ))

  it("reports missing content by its path", () =>
    onADisk((disk, data) =>
      Effect.gen(function* () {
        const key = yield* stored(disk, Stream.make(Buffer.from("x")))
        rmSync(dirname(pathOf(data, key)), { recursive: true })
        const defect = yield* defectOf(read(disk, key, 0, 1))
        expect((defect as Error).message).toBe(`${pathOf(data, key)}: it is not there`)
      })
    ))
})
