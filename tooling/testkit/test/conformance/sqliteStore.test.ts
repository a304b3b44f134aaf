import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Ids, Store, Vault } from "@tapedeck/core"
import { FileBytes } from "@tapedeck/storage/files"
import { layerSqlite } from "@tapedeck/storage/sqlite"
import { Context, Effect, Layer, Redacted } from "effect"
import { storeConformance } from "../../src/conformance/store.ts"

const vault = Vault.layer(Redacted.make(new Uint8Array(32).fill(7)))

/** A directory of its own, gone with its scope. */
const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tapedeck-conformance-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

storeConformance({
  name: "on SQLite",
  open: Effect.gen(function* () {
    const place = yield* directory
    const files = FileBytes.layerDisk({ directory: join(place, "files"), temporary: join(place, "tmp") })
    const context = yield* Layer.build(
      layerSqlite({ file: join(place, "tapedeck.db") }).pipe(Layer.provide([vault, Ids.layerRandom, files]))
    )
    return { store: Context.get(context, Store) }
  }).pipe(Effect.orDie)
})
