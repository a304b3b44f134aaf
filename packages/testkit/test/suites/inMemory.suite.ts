import { emptyWorld, makeMemoryStore } from "@tapedeck/core"
import { Effect } from "effect"
import { storeConformance } from "../../src/index.ts"

storeConformance({ name: "in memory", open: Effect.sync(() => makeMemoryStore(emptyWorld())), histories: 20 })
