import { createHash, randomUUID } from "node:crypto"
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync } from "node:fs"
import { type FileHandle, open, readdir, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Exit, Stream } from "effect"
import type { Bytes, Received } from "./Bytes.ts"
import { checkRoom, roomCheckedEvery } from "./room.ts"
import { onDisk, onDiskSync } from "./trouble.ts"

export interface DiskOptions {
  /** Content is at `<directory>/<its hash's first two digits>/<its hash>`. */
  readonly directory: string
  /** On the same file system. Only files that end in `.part` and `.gone` are this module's. */
  readonly temporary: string
}

/** A reader holds one such piece, and the socket's buffer another. */
const pieceBytes = 128 * 1024

/** What is written to see whether there is space. */
const probeBytes = 256 * 1024

/** Each write is a way to another thread and back: pieces from a socket are small, and are gathered. */
const writtenAtOnce = 1024 * 1024

/** Bytes on a disk, for one process. Nothing is read or written whole. */
export const diskBytes = Effect.fnUntraced(function* ({ directory, temporary }: DiskOptions) {
  for (const path of [directory, temporary]) {
    yield* onDiskSync(path, () => mkdirSync(path, { recursive: true, mode: 0o700 }))
  }
  const pathOf = (sha256: string) => join(directory, sha256.slice(0, 2), sha256)
  const newPath = (ending: string) => join(temporary, `${randomUUID()}.${ending}`)

  const service: Bytes = {
    receive: (bytes) => receive(newPath("part"), bytes),

    // Synchronous, as the commit is that it is part of: the name is on the disk before the row that speaks of it. A crash
    // before the rename leaves a temporary file, one after it content that no row knows; both are swept at the next start.
    place: ({ sha256, temporary: from }) => {
      const to = pathOf(sha256)
      return onDiskSync(to, () => {
        if (!existsSync(dirname(to))) {
          mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
          syncDirectory(directory)
        }
        // In a transaction that is run again it is there already.
        if (existsSync(from) || !existsSync(to)) renameSync(from, to)
        syncDirectory(dirname(to))
      })
    },

    drop: ({ temporary: path }) => onDisk(path, () => rm(path, { force: true })),

    read: (sha256, start, length) => readFile(pathOf(sha256), start, length),

    // Out of sight by a rename, which takes no time; the blocks of a large file are freed later.
    retire: (sha256) => {
      const from = pathOf(sha256)
      const to = newPath("gone")
      return onDiskSync(from, () => {
        try {
          renameSync(from, to)
        } catch (error) {
          // Gone already: a crash came after this and before the commit.
          if ((error as NodeJS.ErrnoException).code === "ENOENT") return Effect.void
          throw error
        }
        return onDisk(to, () => rm(to, { force: true }))
      })
    },

    list: Stream.fromEffect(onDisk(directory, () => readdir(directory))).pipe(
      Stream.flatMap((names) => Stream.fromIterable(names.filter((name) => /^[0-9a-f]{2}$/.test(name)))),
      Stream.mapEffect((name) => onDisk(join(directory, name), () => readdir(join(directory, name)))),
      Stream.flatMap((names) => Stream.fromIterable(names.filter((name) => /^[0-9a-f]{64}$/.test(name))))
    ),

    clean: onDisk(temporary, async () => {
      for (const name of await readdir(temporary)) {
        if (/\.(part|gone)$/.test(name)) await rm(join(temporary, name), { force: true })
      }
    }),

    checkRoom: Effect.suspend(() => {
      const path = newPath("part")
      return onDisk(path, async () => {
        await checkRoom(path)
        // What quotas leave is not told by the file system.
        await writeFile(path, Buffer.alloc(probeBytes)).finally(() => rm(path, { force: true }))
      })
    })
  }
  return service
})

/** A new name in a directory, or one that went, is on the disk when the directory is. */
const syncDirectory = (path: string) => {
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const receive = <E, R>(path: string, bytes: Stream.Stream<Uint8Array, E, R>): Effect.Effect<Received, E, R> =>
  Effect.acquireUseRelease(
    onDisk(path, () => open(path, "wx", 0o600)),
    Effect.fnUntraced(function* (file) {
      const hash = createHash("sha256")
      let sizeBytes = 0
      let held: Array<Uint8Array> = []
      let heldBytes = 0
      let checkedAt = 0
      yield* onDisk(path, () => checkRoom(path))
      const flush = Effect.suspend(() => {
        const pieces = held
        held = []
        heldBytes = 0
        const isToCheck = sizeBytes - checkedAt >= roomCheckedEvery
        if (isToCheck) checkedAt = sizeBytes
        return onDisk(path, async () => {
          if (isToCheck) await checkRoom(path)
          await writeAll(file, pieces)
        })
      })
      yield* Stream.runForEach(bytes, (piece) => {
        hash.update(piece)
        sizeBytes += piece.length
        held.push(piece)
        heldBytes += piece.length
        return heldBytes < writtenAtOnce ? Effect.void : flush
      })
      yield* flush
      yield* onDisk(path, () => file.sync())
      return { sha256: hash.digest("hex"), sizeBytes, temporary: path }
    }),
    (file, exit) =>
      Effect.andThen(
        closing(path, file),
        Exit.isSuccess(exit) ? Effect.void : onDisk(path, () => rm(path, { force: true }))
      )
  )

/** A disk may take a part of it only, and say why with the next try. */
const writeAll = async (file: FileHandle, pieces: ReadonlyArray<Uint8Array>) => {
  let left = pieces.filter((piece) => piece.length > 0)
  while (left.length > 0) {
    let { bytesWritten } = await file.writev(left)
    while (left[0] !== undefined && bytesWritten >= left[0].length) {
      bytesWritten -= left[0].length
      left = left.slice(1)
    }
    if (left[0] !== undefined) left = [left[0].subarray(bytesWritten), ...left.slice(1)]
  }
}

/** Waits for what is under way on it. */
const closing = (path: string, file: FileHandle) => onDisk(path, () => file.close())

const readFile = (path: string, start: number, length: number) =>
  Effect.map(
    Effect.acquireRelease(
      onDisk(path, () => open(path, "r")),
      (file) => closing(path, file)
    ),
    (file): Stream.Stream<Uint8Array> =>
      Stream.unfold(start, (at) => {
        const left = start + length - at
        if (left <= 0) return Effect.undefined
        // A buffer of its own for each piece: whoever gets it may keep it.
        const buffer = Buffer.allocUnsafeSlow(Math.min(pieceBytes, left))
        return Effect.map(
          onDisk(path, () => file.read(buffer, 0, buffer.length, at)),
          ({ bytesRead }) => (bytesRead === 0 ? undefined : ([buffer.subarray(0, bytesRead), at + bytesRead] as const))
        )
      })
  )
