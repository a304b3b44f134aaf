import { Effect } from "effect"
import type { Counters } from "../sql/database/Database.ts"
import type { Query } from "../sql/database/statements.ts"

export const makeCounters = (query: Query): Counters => ({
  next: (kind) =>
    Effect.map(
      query<[number]>(
        `INSERT INTO counters (kind, value) VALUES (?, 1)
          ON CONFLICT (kind) DO UPDATE SET value = counters.value + 1 RETURNING value`,
        kind
      ),
      ([row]) => Number(row![0])
    ),
  from: (kind, taken) =>
    query(
      `INSERT INTO counters (kind, value) VALUES (?, ?)
        ON CONFLICT (kind) DO UPDATE SET value = excluded.value WHERE counters.value < excluded.value`,
      kind,
      taken
    )
})
