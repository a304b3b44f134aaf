import { PgPool } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "../sql/database/Database.ts"
import type { Query } from "../sql/database/statements.ts"
import { onWallClock } from "./connection.ts"
import { statementMs, withDeadline } from "./deadline.ts"

/** The first key of this program's advisory locks. */
const lockSpace = 0x7a9e
export const auditOrderLock = `${lockSpace}, 1`
export const migrationLock = `${lockSpace}, 2`
const reporterLock = `${lockSpace}, 3`

/**
 * A transaction that draws the number of an audit entry shares a lock until its end (counters.ts). A transaction that has the lock
 * exclusively for an instant knows that all numbers given by then are settled. It is one of its own, in which each statement sees
 * what was committed before it.
 */
const settledAuditEntries = Effect.fnUntraced(function* (query: Query) {
  // Others wait behind a transaction that waits for an exclusive lock.
  yield* query("SELECT set_config('lock_timeout', '5s', true)")
  yield* Effect.catchIf(
    query(`SELECT pg_advisory_xact_lock(${auditOrderLock})`),
    ({ reason }) => reason._tag === "LockTimeoutError",
    () => Effect.die(new Error("a transaction with an audit entry has run for more than 5 s"))
  )
  const [row] = yield* query<[number]>("SELECT coalesce(max(id), 0) FROM audit_entries")
  return row![0]
})

/** See `Database`. Takes the lock only if there are entries above `after` and above what is known to be settled. */
export const makeAuditEntriesSettledUntil = ({
  isInTransaction,
  query,
  readCommitted
}: Pick<Database, "isInTransaction" | "query"> & {
  readonly readCommitted: <A>(body: Effect.Effect<A, SqlError>) => Effect.Effect<A, SqlError>
}): Database["auditEntriesSettledUntil"] => {
  let settled = 0
  return Effect.fnUntraced(function* (after: number) {
    if (yield* Effect.withFiber((fiber) => Effect.succeed(isInTransaction(fiber)))) return settled
    const [row] = yield* query<[number | null]>("SELECT max(id) FROM audit_entries")
    if (Number(row?.[0] ?? 0) > Math.max(after, settled)) settled = yield* readCommitted(settledAuditEntries(query))
    return settled
  })
}

/**
 * True in the process that has the reporter's lock. The lock belongs to a session of its own, which is opened when this is first
 * requested, and ends with the process, or one to two minutes after the last request; then another process gets the lock.
 */
export const makeIsReporter = (pool: PgPool.PgPool) =>
  Effect.map(
    onWallClock(PgPool.make({ ...pool.config, minConnections: 0, maxConnections: 1, idleTimeout: "1 minute" })),
    (own) =>
      Effect.map(
        withDeadline(statementMs)(
          onWallClock(own.use((session) => session.queryValues(`SELECT pg_try_advisory_lock(${reporterLock})`)))
        ),
        ([row]) => row![0] === true
      )
  )

/**
 * Locks an id, which is a hash in hexadecimal. The lock's key is 48 bits of it: two ids with the same 48 bits exclude each other
 * while both are in flight.
 *
 * A transaction that gets the lock may have begun before the previous holder committed. It does not see what that one wrote, and
 * conflicts when it writes the same row, so that it runs again.
 */
export const makeLockKey =
  (query: Query) =>
  (id: string): Effect.Effect<boolean, SqlError> =>
    Effect.map(
      query<readonly [boolean]>("SELECT pg_try_advisory_xact_lock(?::bigint)", Number.parseInt(id.slice(0, 12), 16)),
      ([row]) => row![0]
    )
