/**
 * `pnpm soak [GB]`: a file of 5 GB, or as many as are said, goes into a store on a disk and out again, and must come out byte
 * for byte; the memory that it takes on its way is printed, and must not grow with it. In $TMPDIR; needs that much space.
 */
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Stream } from "effect"
import { diskBytes } from "../src/files/disk.ts"
import { makeFiles } from "../src/sql/files/repository.ts"
import { openDatabase } from "../src/sqlite/open.ts"

const MiB = 1024 ** 2
const sizeBytes = Math.ceil(Number(process.argv[2] ?? 5) * 1024) * MiB
const limitMiB = 400

/** No two pieces are the same; each is made as it is wanted. */
const pieces = Stream.unfold(0, (index) => {
  if (index * MiB >= sizeBytes) return Effect.undefined
  const piece: Uint8Array = Buffer.alloc(MiB, index & 0xff)
  new DataView(piece.buffer, piece.byteOffset).setUint32(0, index)
  return Effect.succeed([piece, index + 1] as const)
})

let mostMiB = 0
const watched = <E, R>(stream: Stream.Stream<Uint8Array, E, R>, what: string) => {
  const hash = createHash("sha256")
  let passed = 0
  return {
    hash: () => hash.digest("hex"),
    stream: Stream.map(stream, (piece) => {
      hash.update(piece)
      passed += piece.length
      mostMiB = Math.max(mostMiB, process.memoryUsage.rss() / MiB)
      if (passed % (512 * MiB) === 0)
        console.log(`${what}: ${passed / MiB} MiB, ${mostMiB.toFixed(0)} MiB of memory at most`)
      return piece
    })
  }
}

const soak = Effect.gen(function* () {
  const data = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "tapedeck-soak-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const database = yield* openDatabase(join(data, "tapedeck.db"))
  const bytes = yield* diskBytes({ directory: join(data, "files"), temporary: join(data, "tmp") })
  const { repository } = yield* makeFiles(database, bytes)
  const written = watched(pieces, "in")
  yield* repository.write("large", written.stream)
  const end = yield* Stream.runCollect((yield* repository.read("large", sizeBytes - 7, 100))!)
  if (Buffer.concat([...end]).length !== 7) throw new Error("its last seven bytes could not be read")
  const read = watched((yield* repository.read("large", 0, sizeBytes))!, "out")
  yield* Stream.runDrain(read.stream)
  if (written.hash() !== read.hash()) throw new Error("it came out otherwise than it went in")
  if (mostMiB > limitMiB) throw new Error(`it took ${mostMiB.toFixed(0)} MiB of memory, more than ${limitMiB}`)
  console.log(`${sizeBytes / MiB} MiB in and out, byte for byte, in ${mostMiB.toFixed(0)} MiB of memory at most`)
})

await Effect.runPromise(Effect.scoped(soak))
