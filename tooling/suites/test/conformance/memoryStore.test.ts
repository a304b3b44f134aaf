import { emptyWorld, makeMemoryStore } from "@tapedeck/core"
import { storeConformance } from "@tapedeck/testkit"
import { Effect } from "effect"
import { storage } from "../../src/hermetic/storage.ts"

const backend = { name: "in memory", open: Effect.sync(() => makeMemoryStore(emptyWorld())) }

storeConformance(backend)
storage(backend)
