import { createReadStream, createWriteStream } from "node:fs"
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { storeOf } from "@tapedeck/core"
import type { VideoFile } from "@tapedeck/domain"
import { Effect, Schema, Stream } from "effect"

const prefix = "media-"

/** A working copy could not be written or read, for example because the disk is full. */
export class WorkFileFailed extends Schema.TaggedError<WorkFileFailed>()("WorkFileFailed", {
  path: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `${this.path}: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

/** A directory for one job, removed with the scope. */
export const workDirectory = (parent: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      await mkdir(parent, { recursive: true, mode: 0o700 })
      return mkdtemp(join(parent, prefix))
    }),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )

/** Removes directories that a crash left. Call it before the first job. */
export const cleanWorkDirectories = (parent: string) =>
  Effect.promise(async () => {
    for (const name of await readdir(parent).catch(() => [])) {
      if (name.startsWith(prefix)) await rm(join(parent, name), { recursive: true, force: true })
    }
  })

/** Copies a stored file to a path; undefined if it no longer exists. */
export const copyOut = Effect.fnUntraced(function* ({ fileId, sizeBytes }: VideoFile, path: string) {
  const store = yield* storeOf("files")
  const bytes = yield* store.files.read(fileId, 0, sizeBytes)
  if (bytes === undefined) return undefined
  yield* Effect.tryPromise({
    try: (signal) => pipeline(Stream.toAsyncIterable(bytes), createWriteStream(path, { mode: 0o600 }), { signal }),
    catch: (cause) => new WorkFileFailed({ path, cause })
  })
  return path
})

export const bytesAt = (path: string): Stream.Stream<Uint8Array, WorkFileFailed> =>
  Stream.fromAsyncIterable(
    { [Symbol.asyncIterator]: () => createReadStream(path)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array> },
    (cause) => new WorkFileFailed({ path, cause })
  )
