import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Query } from "../sql/Query.ts"
import { auditOrderLock } from "./locks.ts"

/**
 * The highest number of an audit entry below which none is still to be committed. Whoever draws a number shares a lock until
 * its transaction ends (counters.ts); who has it alone for an instant knows that all numbers given by then are settled.
 * Its own transaction, in which each statement sees what was committed before it.
 */
export const settledAuditEntries = (query: Query): Effect.Effect<number, SqlError> =>
  Effect.gen(function* () {
    // Behind one that waits, others wait.
    yield* query("SELECT set_config('lock_timeout', '5s', true)")
    yield* query(`SELECT pg_advisory_xact_lock(${auditOrderLock})`)
    const [row] = yield* query<[number]>("SELECT coalesce(max(id), 0) FROM audit_entries")
    return row![0]
  })
