import { now, removeExpired, repeatingJob, sealAuditEntries, storeOf } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { repeatedAfterMs } from "@tapedeck/domain/internal/jobs"
import { Effect } from "effect"
import type { World } from "../world/World.ts"

/** Links all audit entries to the chains of their accounts. */
export const sealAll = Effect.gen(function* () {
  // A world has the key of its chains: a snapshot without it is refused.
  while ((yield* Effect.orDie(sealAuditEntries)).size > 0) yield* Effect.yieldNow
})

/** Removes the records that have expired. The job that it leaves records the time of the run, before which nothing is due again. */
export const removeAllExpired = Effect.fnUntraced(function* (world: World) {
  const { jobs } = yield* storeOf("jobs")
  const at = yield* now
  yield* Effect.orDie(removeExpired(world.retention, at))
  yield* jobs.enqueue(repeatingJob("retention", (at + repeatedAfterMs.retention) as Instant))
})
