import type { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Parameter } from "../sql/Query.ts"

/** `Query`, with lists as parameters too; the statement says of what: `unnest(?::bigint[])`. */
export type ListQuery = <Row extends ReadonlyArray<unknown>>(
  text: string,
  ...parameters: ReadonlyArray<Parameter | ReadonlyArray<Parameter>>
) => Effect.Effect<ReadonlyArray<Row>, SqlError>
