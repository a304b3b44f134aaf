import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Query } from "../sql/Query.ts"

/** Advisory locks of this program are in one space. */
const lockSpace = 0x7a9e
export const auditOrderLock = `${lockSpace}, 1`
export const migrationLock = `${lockSpace}, 2`

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

/**
 * Locks an id, which is a hash in hexadecimal, until the transaction ends; false while another transaction has it. The lock
 * has 48 bits of it: two ids with the same ones exclude each other while both are in flight.
 *
 * A transaction may have begun before the one that had the lock committed. It does not see what that one wrote, and PostgreSQL
 * has it run again when it writes the same row.
 */
export const lockKey =
  (query: Query) =>
  (id: string): Effect.Effect<boolean, SqlError> =>
    Effect.map(
      query<readonly [boolean]>("SELECT pg_try_advisory_xact_lock(?::bigint)", Number.parseInt(id.slice(0, 12), 16)),
      ([row]) => row![0]
    )
