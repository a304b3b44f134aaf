import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Ids, Vault, wholeStore } from "@tapedeck/core"
import { Effect, Layer, Redacted } from "effect"
import { FileBytes } from "../src/files/FileBytes.ts"
import { layerSqlite } from "../src/sqlite/index.ts"

/** A directory of its own, gone with its scope. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tapedeck-storage-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The vault of a key that is this byte, again and again. */
export const vaultOf = (byte: number) => Vault.make(Redacted.make(new Uint8Array(32).fill(byte)))

export const databaseIn = (directory: string) => join(directory, "tapedeck.db")

/** The store in a directory, for as long as the scope lasts. */
export const openStore = (directory: string, vault = vaultOf(7)) =>
  Effect.flatMap(
    Layer.build(
      layerSqlite({ file: databaseIn(directory) }).pipe(
        Layer.provide([
          Layer.succeed(Vault, vault),
          Ids.layerRandom,
          FileBytes.layerDisk({ directory: join(directory, "files"), temporary: join(directory, "tmp") })
        ])
      )
    ),
    (context) => Effect.provideContext(wholeStore, context)
  )
