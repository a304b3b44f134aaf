import { nextExpiry, now, removeExpired, sealAuditEntries } from "@tapedeck/core"
import { retentionOf } from "@tapedeck/fixtures"
import { Effect } from "effect"
import type { World } from "../world/World.ts"

/** Links all audit entries to the chains of their accounts. */
export const sealAll = Effect.gen(function* () {
  // A world has the key of its chains: a snapshot without it is refused.
  while ((yield* Effect.orDie(sealAuditEntries)).size > 0) yield* Effect.yieldNow
})

/** Removes the records that have expired. Returns the next instant at which a record expires. */
export const removingExpired = Effect.fnUntraced(function* (world: World) {
  const retention = retentionOf(world.config)
  const at = yield* now
  yield* Effect.orDie(removeExpired(retention, at))
  return nextExpiry(world.memory.state(), retention, at)
})
