import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { wholeStore } from "@tapedeck/core"
import { type StoreBackend, storeConformance } from "@tapedeck/testkit"
import { Effect } from "effect"
import { layerFileStore } from "../fileStore.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tapedeck-store-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const backend: StoreBackend = {
  name: "in a JSON file",
  open: Effect.flatMap(folder, (path) => {
    const open = Effect.suspend(() => Effect.provide(wholeStore, layerFileStore(join(path, "store.json"))))
    return Effect.map(open, (store) => ({ store, reopen: open }))
  }),
  histories: 20,
  isShared: true
}

storeConformance(backend)
