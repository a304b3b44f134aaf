import { emptyWorld, makeMemoryStore } from "@tapedeck/core"
import { Effect } from "effect"
import { storeConformance } from "../../src/conformance/store.ts"
import { storage } from "../../src/hermetic/storage.ts"

const backend = { name: "in memory", open: Effect.sync(() => makeMemoryStore(emptyWorld())) }

storeConformance(backend)
storage(backend)
