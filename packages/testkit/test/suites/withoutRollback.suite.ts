import { emptyWorld, makeMemoryStore } from "@tapedeck/core"
import { Effect } from "effect"
import { storeConformance } from "../../src/index.ts"

/** A store that keeps what a failed transaction wrote. */
const open = Effect.sync(() => ({
  store: { ...makeMemoryStore(emptyWorld()).store, transaction: (body: Effect.Effect<never>) => body } as never
}))

storeConformance({ name: "without rollback", open, histories: 20 })
