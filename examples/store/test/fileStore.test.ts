import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type StoreBackend, storeConformance } from "@tapedeck/testkit"
import { Effect } from "effect"
import { openFileStore } from "../fileStore.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tapedeck-store-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const backend: StoreBackend = {
  name: "in a JSON file",
  open: Effect.map(folder, (path) => {
    const open = () => openFileStore(join(path, "store.json"))
    return { store: open(), reopen: Effect.sync(open) }
  }),
  histories: 20,
  isShared: true
}

storeConformance(backend)
