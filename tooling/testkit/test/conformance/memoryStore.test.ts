import { emptyWorld, makeMemoryStore } from "@tapedeck/core"
import { Effect } from "effect"
import { storeConformance } from "../../src/conformance/store.ts"

storeConformance({ name: "in memory", open: Effect.sync(() => makeMemoryStore(emptyWorld())) })
