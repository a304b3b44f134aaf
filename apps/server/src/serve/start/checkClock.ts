import { now, storeOf } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { Effect } from "effect"

/** Difference that is no fault: nodes and a restored database may differ by it. */
const slackMs = 60_000

/** Logs a warning if the store's clock is behind the newest audit entry. What is due by the data's times would wait for the clock. */
export const checkClock = Effect.gen(function* () {
  const { auditEntries } = yield* storeOf("auditEntries")
  const newest = yield* auditEntries.newestUntil(Number.MAX_SAFE_INTEGER as Instant)
  const at = yield* now
  if (newest === undefined || newest <= at + slackMs) return
  yield* Effect.logWarning("clock is behind the data", {
    clock: new Date(at).toISOString(),
    newest_entry: new Date(newest).toISOString(),
    behind_seconds: Math.round((newest - at) / 1_000),
    remedy: "set the clock of this machine (with PostgreSQL, of the database): until then, due deliveries and jobs wait"
  })
})
