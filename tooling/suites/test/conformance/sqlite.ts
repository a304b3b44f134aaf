import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Ids, Vault, wholeStore } from "@tapedeck/core"
import { FileBytes } from "@tapedeck/storage/files"
import { layerSqlite } from "@tapedeck/storage/sqlite"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import { memoryFolder } from "../../src/support/memory.ts"

const vault = Vault.layer(Redacted.make(new Uint8Array(32).fill(7)))

/** The store in a directory, for as long as the scope lasts. */
export const openSqlite = (place: string) => {
  const files = FileBytes.layerDisk({ directory: join(place, "files"), temporary: join(place, "tmp") })
  const layer = layerSqlite({ file: join(place, "tapedeck.db") })
  return Layer.build(layer.pipe(Layer.provide([vault, Ids.layerRandom, files]))).pipe(
    Effect.flatMap((context) => Effect.provideContext(wholeStore, context)),
    Effect.orDie
  )
}

/** A directory of its own, gone with its scope. What a killed process wrote is in memory as it is in the cache of a disk. */
const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(memoryFolder() ?? tmpdir(), "tapedeck-conformance-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** An empty store, which can be closed and opened again. */
export const emptySqlite = Effect.gen(function* () {
  const place = yield* directory
  let opened = yield* Scope.make()
  const close = Effect.suspend(() => Scope.close(opened, Exit.void))
  const open = Effect.gen(function* () {
    opened = yield* Scope.make()
    return yield* Scope.provide(openSqlite(place), opened)
  })
  yield* Effect.addFinalizer(() => close)
  const crash = { close, place, module: new URL("./processes/dieInTransaction.ts", import.meta.url) }
  return { place, store: yield* open, reopen: Effect.andThen(close, open), crash }
})
