import { Effect } from "effect"
import type { Statements } from "./Statements.ts"

/** Numbers that are given once. Inside a transaction. */
export const makeCounters = ({ query }: Pick<Statements, "query">) => ({
  next: (kind: string) =>
    Effect.map(
      query<[number]>(
        `INSERT INTO counters (kind, value) VALUES (?, 1)
          ON CONFLICT (kind) DO UPDATE SET value = counters.value + 1 RETURNING value`,
        kind
      ),
      ([row]) => Number(row![0])
    ),
  /** Sees to it that a number given from outside is not given again. */
  from: (kind: string, taken: number) =>
    query(
      `INSERT INTO counters (kind, value) VALUES (?, ?)
        ON CONFLICT (kind) DO UPDATE SET value = excluded.value WHERE counters.value < excluded.value`,
      kind,
      taken
    )
})
export type Counters = ReturnType<typeof makeCounters>
