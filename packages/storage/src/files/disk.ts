import { createHash, randomUUID } from "node:crypto"
import { mkdirSync } from "node:fs"
import { type FileHandle, link, mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Exit, Stream } from "effect"
import type { Bytes, Received } from "./Bytes.ts"
import { claimPlace, markName } from "./claimPlace.ts"
import { isContentKey } from "./contentKey.ts"
import { FilesRefused, onDisk, onDiskSync } from "./errors.ts"
import { checkFreeSpace, freeSpaceCheckBytes } from "./freeSpace.ts"

export interface DiskOptions {
  /** Content is at `<directory>/<its hash's first two digits>/<its key>`. */
  readonly directory: string
  /** Directory on the same file system. Files that end in `.part` belong to this module. */
  readonly temporary: string
}

/** A reader has one chunk in memory, and the socket's buffer another. */
const chunkBytes = 128 * 1024

/** The size of the file that checks for free space. */
const probeBytes = 256 * 1024

/** Writes are batched, because each is a round trip to another thread, and chunks from a socket are small. */
const writeBytes = 1024 * 1024

/** Contents on a disk. Files are read and written in chunks. */
export const diskBytes = Effect.fnUntraced(function* ({ directory, temporary }: DiskOptions) {
  for (const path of [directory, temporary]) {
    yield* onDiskSync(path, () => mkdirSync(path, { recursive: true, mode: 0o700 }))
  }
  const pathOf = (key: string) => join(directory, key.slice(0, 2), key)
  const newPath = () => join(temporary, `${randomUUID()}.part`)
  const mark = join(directory, markName)
  const writeMark = async (text: string, as: "first" | "replacement") => {
    const path = newPath()
    await writeFile(path, text, { mode: 0o600, flush: true })
    const isOther = as === "first" && (await isTaken(path, mark))
    if (!isOther) await rename(path, mark)
    // A rename keeps both names if they are of one file.
    await rm(path, { force: true })
    await syncDirectory(directory)
    return !isOther
  }

  /** Folders whose names are durable. One that exists may have been made by a process that was killed before it was. */
  const durable = new Set<string>()
  const makeFolder = async (path: string) => {
    if (durable.has(path)) return
    await mkdir(path, { recursive: true, mode: 0o700 })
    await syncDirectory(directory)
    durable.add(path)
  }

  const service: Bytes = {
    receive: (bytes) => receive(newPath(), bytes),

    place: ({ temporary: from }, key) => {
      const to = pathOf(key)
      return onDisk(to, async () => {
        await makeFolder(dirname(to))
        await rename(from, to)
        await syncDirectory(dirname(to))
      })
    },

    drop: ({ temporary: path }) => onDisk(path, () => rm(path, { force: true })),

    read: (key, start, length) => readPart(pathOf(key), start, length),

    remove: (key) => onDisk(pathOf(key), () => rm(pathOf(key), { force: true })),

    list: Stream.fromEffect(onDisk(directory, () => readdir(directory))).pipe(
      Stream.flatMap((names) => Stream.fromIterable(names.filter((name) => /^[0-9a-f]{2}$/.test(name)))),
      Stream.mapEffect((name) => onDisk(join(directory, name), () => readdir(join(directory, name)))),
      Stream.flatMap((names) => Stream.fromIterable(names.filter(isContentKey)))
    ),

    clean: onDisk(temporary, async () => {
      for (const name of await readdir(temporary)) {
        if (name.endsWith(".part")) await rm(join(temporary, name), { force: true })
      }
    }),

    abortStale: Effect.void,

    checkFreeSpace: Effect.suspend(() => {
      const path = newPath()
      return onDisk(path, async () => {
        await checkFreeSpace(path)
        // The file system does not report quotas.
        await writeFile(path, Buffer.alloc(probeBytes)).finally(() => rm(path, { force: true }))
      })
    }),

    claim: Effect.flatMap((owner) =>
      claimPlace(
        {
          readMark: onDisk(mark, () => readText(mark)),
          writeMark: (text, as) => onDisk(mark, () => writeMark(text, as)),
          refuse: (why) => new FilesRefused("directory", directory, why),
          mark
        },
        owner
      )
    )
  }
  return service
})

/** Returns whether another file has the name; if none has, adds the name to the file. False on a file system without second names. */
const isTaken = (path: string, name: string): Promise<boolean> =>
  link(path, name).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "EEXIST"
  )

const readText = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined
    throw error
  })

/** Makes additions of names to a directory durable. */
const syncDirectory = async (path: string) => {
  const file = await open(path, "r")
  await file.sync().finally(() => file.close())
}

const receive = <E, R>(path: string, bytes: Stream.Stream<Uint8Array, E, R>): Effect.Effect<Received, E, R> =>
  Effect.acquireUseRelease(
    onDisk(path, () => open(path, "wx", 0o600)),
    Effect.fnUntraced(function* (file) {
      const hash = createHash("sha256")
      let sizeBytes = 0
      let buffered: Array<Uint8Array> = []
      let bufferedBytes = 0
      let checkedAt = 0
      yield* onDisk(path, () => checkFreeSpace(path))
      const flush = Effect.suspend(() => {
        const chunks = buffered
        buffered = []
        bufferedBytes = 0
        const isToCheck = sizeBytes - checkedAt >= freeSpaceCheckBytes
        if (isToCheck) checkedAt = sizeBytes
        return onDisk(path, async () => {
          if (isToCheck) await checkFreeSpace(path)
          await writeAll(file, chunks)
        })
      })
      yield* Stream.runForEach(bytes, (chunk) => {
        hash.update(chunk)
        sizeBytes += chunk.length
        buffered.push(chunk)
        bufferedBytes += chunk.length
        return bufferedBytes < writeBytes ? Effect.void : flush
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

/** A disk may write a part only, and report the error at the next try. */
const writeAll = async (file: FileHandle, chunks: ReadonlyArray<Uint8Array>) => {
  let left = chunks.filter((chunk) => chunk.length > 0)
  while (left.length > 0) {
    let { bytesWritten } = await file.writev(left)
    while (left[0] !== undefined && bytesWritten >= left[0].length) {
      bytesWritten -= left[0].length
      left = left.slice(1)
    }
    if (left[0] !== undefined) left = [left[0].subarray(bytesWritten), ...left.slice(1)]
  }
}

/** Waits for operations in flight. */
const closing = (path: string, file: FileHandle) => onDisk(path, () => file.close())

const readPart = (path: string, start: number, length: number) =>
  Effect.map(
    Effect.acquireRelease(
      onDisk(path, () => open(path, "r")),
      (file) => closing(path, file)
    ),
    (file): Stream.Stream<Uint8Array> =>
      Stream.unfold(start, (at) => {
        const left = start + length - at
        if (left <= 0) return Effect.undefined
        // Each chunk has its own buffer: the reader may keep it.
        const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, left))
        return Effect.map(
          onDisk(path, () => file.read(buffer, 0, buffer.length, at)),
          ({ bytesRead }) => (bytesRead === 0 ? undefined : ([buffer.subarray(0, bytesRead), at + bytesRead] as const))
        )
      })
  )
