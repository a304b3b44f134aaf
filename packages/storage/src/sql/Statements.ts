import type { Instant } from "@tapedeck/domain"
import type { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Parameter, Query } from "./Query.ts"

/** How statements run, and at what time, whichever database it is. */
export interface Statements {
  readonly query: Query
  /**
   * Runs one statement that changes rows once with each list of parameters, and gives how many rows each changed. Inside a
   * transaction.
   */
  readonly changeEach: (
    text: string,
    lists: ReadonlyArray<ReadonlyArray<Parameter>>
  ) => Effect.Effect<ReadonlyArray<number>, SqlError>
  /** By this clock deliveries and jobs fall due, and leases end: Effect's where there is one process, else the database's. */
  readonly now: Effect.Effect<Instant>
}
