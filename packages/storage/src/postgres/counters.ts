import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Counters } from "../sql/database/Database.ts"
import type { Query } from "../sql/database/statements.ts"
import { sequenceOf } from "./dialect.ts"
import { auditOrderLock } from "./locks.ts"

/** More numbers than other processes can draw between two statements. */
const minSetvalGap = 10_000

/**
 * Numbers from sequences: drawing one waits for no other transaction, and the numbers of failed transactions are lost. A number of
 * an audit entry is drawn under a shared lock until the transaction ends: see `makeAuditEntriesSettledUntil`.
 */
export const makeCounters = (query: Query): Counters => {
  /** The highest number of each kind that this process knows to be used. */
  const used = new Map<string, number>()
  const note = (kind: string, number: number) => {
    used.set(kind, Math.max(number, used.get(kind) ?? 0))
    return number
  }

  const next = (kind: string): Effect.Effect<number, SqlError> => {
    const drawn = `nextval('${sequenceOf(kind)}')`
    // Columns are evaluated from the left: the lock first.
    const before = kind === "audit_entry" ? `pg_advisory_xact_lock_shared(${auditOrderLock})` : "0"
    return Effect.map(query<[unknown, number]>(`SELECT ${before}, ${drawn}`), ([row]) => note(kind, row![1]))
  }

  const from = Effect.fnUntraced(function* (kind: string, taken: number) {
    if (taken <= (used.get(kind) ?? 0)) return []
    const sequence = sequenceOf(kind)
    const [row] = yield* query<[number]>(`SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${sequence}`)
    const last = note(kind, row![0])
    if (taken <= last) return []
    note(kind, taken)
    // Drawing one by one is safe with concurrent draws.
    return yield* taken - last < minSetvalGap
      ? query(`SELECT max(nextval('${sequence}')) FROM generate_series(1, ?::bigint)`, taken - last)
      : query(`SELECT setval('${sequence}', greatest(?::bigint, last_value)) FROM ${sequence}`, taken)
  })

  return { next, from }
}
