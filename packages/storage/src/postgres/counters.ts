import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Counters } from "../sql/counters.ts"
import type { Query } from "../sql/Query.ts"
import { sequenceOf } from "./dialect.ts"
import { auditOrderLock } from "./locks.ts"

/** A gap that is larger than what others could be given in the instant between two statements. */
const LEAP = 10_000

/**
 * Numbers by sequences: nobody waits for whoever draws one, and what a failed transaction drew is never given. Numbers of
 * audit entries are drawn under a lock that others share, until the transaction ends: see `settledAuditEntries`.
 */
export const sequenceCounters = (query: Query): Counters => {
  /** By kind: the highest number that this process knows to be given. */
  const given = new Map<string, number>()
  const note = (kind: string, number: number) => {
    given.set(kind, Math.max(number, given.get(kind) ?? 0))
    return number
  }

  const next = (kind: string): Effect.Effect<number, SqlError> => {
    const drawn = `nextval('${sequenceOf(kind)}')`
    // Columns are worked out from the left: the lock first.
    const before = kind === "audit_entry" ? `pg_advisory_xact_lock_shared(${auditOrderLock})` : "0"
    return Effect.map(query<[unknown, number]>(`SELECT ${before}, ${drawn}`), ([row]) => note(kind, row![1]))
  }

  const from = Effect.fnUntraced(function* (kind: string, taken: number) {
    if (taken <= (given.get(kind) ?? 0)) return []
    const sequence = sequenceOf(kind)
    const [row] = yield* query<[number]>(`SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${sequence}`)
    const last = note(kind, row![0])
    if (taken <= last) return []
    note(kind, taken)
    // Drawn one by one no number is given twice, whoever draws at the same time.
    return yield* taken - last < LEAP
      ? query(`SELECT max(nextval('${sequence}')) FROM generate_series(1, ?::bigint)`, taken - last)
      : query(`SELECT setval('${sequence}', greatest(?::bigint, last_value)) FROM ${sequence}`, taken)
  })

  return { next, from }
}
