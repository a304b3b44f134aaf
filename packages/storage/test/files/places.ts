import { createHash, randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect, type Scope, Stream } from "effect"
import { markName } from "../../src/files/claimPlace.ts"
import { newContentKey, sha256Of } from "../../src/files/contentKey.ts"
import type { FileBytes } from "../../src/files/FileBytes.ts"
import { makeFiles } from "../../src/sql/files/repository.ts"
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
  /** The hashes of the contents that are stored, and what is under temporary names. */
  readonly left: Effect.Effect<{ readonly contents: ReadonlyArray<string>; readonly temporary: ReadonlyArray<string> }>
  /** Stores bytes as content of which the database knows nothing, and returns its key. */
  readonly leave: (bytes: Uint8Array) => Effect.Effect<string>
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
export const life = <A, E>(place: Place, body: (opened: Opened) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.scoped(Effect.flatMap(openFiles(place), body))

export type Opened = Effect.Success<ReturnType<typeof openFiles>>

export const write = ({ files }: Opened, id: string, content: Uint8Array) =>
  files.repository.write(id, piecesOf(content, 700))

export const read = ({ files }: Opened, id: string) =>
  Effect.flatMap(files.repository.read(id, 0, 10_000), (stream) =>
    stream === undefined ? Effect.undefined : collected(stream)
  )

/** Saves a recording with these files. */
export const attach = ({ files }: Opened, uuid: string, ...ids: ReadonlyArray<string>) => {
  const file = (fileId: string | undefined) => (fileId === undefined ? null : { fileId })
  const video = { original: file(ids[0]), processed: file(ids[1]), edited: file(ids[2]) }
  return files.attach({ uuid, video } as never)
}

export const rowsOf = ({ database }: Opened) =>
  database.read(
    Effect.all({
      files: database.query("SELECT id, sha256, unattached_since FROM files ORDER BY id"),
      contents: database.query("SELECT sha256, refs FROM file_contents ORDER BY sha256"),
      removals: database.query("SELECT key FROM content_removals")
    })
  )

export const noRows = { files: [], contents: [], removals: [] }

export const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

export const keyOf = (bytes: Uint8Array) => newContentKey(hashOf(bytes))

export const pathOf = (data: string, key: string) => join(data, "files", key.slice(0, 2), key)

export const leaveContent = (data: string, bytes: Uint8Array): string => {
  const key = keyOf(bytes)
  mkdirSync(dirname(pathOf(data, key)), { recursive: true })
  writeFileSync(pathOf(data, key), bytes)
  return key
}

/** The hashes of the contents that are stored, and what is under temporary names. */
export const onDisk = (data: string) => ({
  contents: readdirSync(join(data, "files"))
    .filter((name) => name !== markName)
    .flatMap((name) => readdirSync(join(data, "files", name)))
    .map(sha256Of)
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
