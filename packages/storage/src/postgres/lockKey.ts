import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Query } from "../sql/Query.ts"

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
