import { createReadStream, createWriteStream } from "node:fs"
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { Store } from "@tapedeck/core"
import type { VideoFile } from "@tapedeck/domain"
import { Effect, Schema, Stream } from "effect"

const prefix = "media-"

/** A file could not be written or read here: a full disk, most often. */
export class WorkFileTrouble extends Schema.TaggedError<WorkFileTrouble>()("WorkFileTrouble", {
  path: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `${this.path}: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

/** A directory of a job's own, gone with the scope. */
export const workDirectory = (parent: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      await mkdir(parent, { recursive: true, mode: 0o700 })
      return mkdtemp(join(parent, prefix))
    }),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )

/** Removes what a crash left. Only before the first job. */
export const cleanWorkDirectories = (parent: string) =>
  Effect.promise(async () => {
    for (const name of await readdir(parent).catch(() => [])) {
      if (name.startsWith(prefix)) await rm(join(parent, name), { recursive: true, force: true })
    }
  })

/** Writes a stored file to a path, for programs that want one; undefined when it is there no more. */
export const copyOut = Effect.fnUntraced(function* ({ fileId, sizeBytes }: VideoFile, path: string) {
  const store = yield* Store
  const bytes = yield* store.files.read(fileId, 0, sizeBytes)
  if (bytes === undefined) return undefined
  yield* Effect.tryPromise({
    try: (signal) => pipeline(Stream.toAsyncIterable(bytes), createWriteStream(path, { mode: 0o600 }), { signal }),
    catch: (cause) => new WorkFileTrouble({ path, cause })
  })
  return path
})

export const bytesAt = (path: string): Stream.Stream<Uint8Array, WorkFileTrouble> =>
  Stream.fromAsyncIterable(
    { [Symbol.asyncIterator]: () => createReadStream(path)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array> },
    (cause) => new WorkFileTrouble({ path, cause })
  )
