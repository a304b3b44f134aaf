import { createHash, randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect, type Scope, Stream } from "effect"
import type { FileBytes } from "../../src/files/FileBytes.ts"
import { type Files, makeFiles } from "../../src/sql/files.ts"
import { openDatabase } from "../../src/sqlite/open.ts"

/** A data directory, gone with the scope. */
export const dataDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tapedeck-files-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export const diskIn = (data: string) => ({ directory: join(data, "files"), temporary: join(data, "tmp") })

/** Where a suite has its files: a data directory, and on a disk or in a bucket what `FileBytes` keeps. */
export interface Place {
  readonly data: string
  readonly openBytes: Effect.Effect<FileBytes["Service"], never, Scope.Scope>
  /** The contents that are in their places, and what is on its way. */
  readonly left: Effect.Effect<{ readonly contents: ReadonlyArray<string>; readonly temporary: ReadonlyArray<string> }>
  /** Puts bytes where content is, as one that a crash left there; gives their hash. */
  readonly leave: (bytes: Uint8Array) => Effect.Effect<string>
  /** Whether content occupies space until its readers have ended. */
  readonly keepsWhatIsRead: boolean
}

/** Places of one kind, each gone with its scope, and what a crash may leave in them alone. */
export interface PlaceKind {
  readonly name: string
  readonly makePlace: Effect.Effect<Place, never, Scope.Scope>
  readonly crashes: ReadonlyArray<readonly [string, (place: Place, bytes: Uint8Array) => Effect.Effect<unknown>]>
}

/** Files as a server has them that starts on the place. */
export const openFiles = Effect.fnUntraced(function* (place: Place) {
  const database = yield* Effect.orDie(openDatabase(join(place.data, "tapedeck.db")))
  const bytes = yield* place.openBytes
  return { database, bytes, files: yield* makeFiles(database, bytes) }
})

/** One life of a server on the place: what it does between its start and its end. */
export const life = <A, E>(
  place: Place,
  body: (
    opened: { readonly files: Files } & Effect.Success<ReturnType<typeof openFiles>>
  ) => Effect.Effect<A, E, Scope.Scope>
) => Effect.scoped(Effect.flatMap(openFiles(place), body))

export const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

export const pathOf = (data: string, sha256: string) => join(data, "files", sha256.slice(0, 2), sha256)

/** Puts bytes where content is, as one that a crash left there. */
export const leaveContent = (data: string, bytes: Uint8Array): string => {
  const sha256 = hashOf(bytes)
  mkdirSync(dirname(pathOf(data, sha256)), { recursive: true })
  writeFileSync(pathOf(data, sha256), bytes)
  return sha256
}

/** The contents that are in their places, and what is under temporary names. */
export const onDisk = (data: string) => ({
  contents: readdirSync(join(data, "files"))
    .flatMap((name) => readdirSync(join(data, "files", name)))
    .sort(),
  temporary: readdirSync(join(data, "tmp"))
})

/** Files below the directory that this process has open, their removed ones too. */
export const openBelow = (data: string): ReadonlyArray<string> =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`)
      return target.startsWith(`${data}/`) && !/\.db(-|$| )/.test(target) ? [target] : []
    } catch {
      return []
    }
  })

export const piecesOf = (bytes: Uint8Array, size: number) =>
  Stream.fromIterable(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size)
    )
  )

export const someBytes = (length: number): Buffer => randomBytes(length)

export const collected = (bytes: Stream.Stream<Uint8Array>) =>
  Effect.map(Stream.runCollect(bytes), (pieces) => Buffer.concat(pieces))
