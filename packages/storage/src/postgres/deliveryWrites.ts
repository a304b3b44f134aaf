import { Effect } from "effect"
import type { DeliveryWrites } from "../sql/deliveryWrites.ts"
import type { Parameter } from "../sql/Query.ts"
import type { ListQuery } from "./ListQuery.ts"

const take = `
  UPDATE deliveries d SET retry = 1, state = t.state, state_document = t.state_document, fence = t.fence,
    due_kind = 'lease', due_at = t.due_at, due_order = t.due_order
  FROM unnest(?::text[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
    AS t (state, state_document, fence, due_at, due_order, sequence)
  WHERE d.sequence = t.sequence`

const settle = `
  UPDATE deliveries d SET retry = t.retry, state = t.state, state_document = t.state_document, attempts = t.attempts,
    held = NULL, due_kind = t.due_kind, due_at = t.due_at, due_order = t.due_order
  FROM unnest(?::bigint[], ?::text[], ?::text[], ?::bigint[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[],
      ?::bigint[], ?::text[])
    AS t (retry, state, state_document, attempts, due_kind, due_at, due_order, sequence, fence, before)
  WHERE d.sequence = t.sequence AND d.fence = t.fence AND d.state_document = t.before
  RETURNING d.sequence`

const log = `
  INSERT INTO delivery_attempts (sequence, place, document)
  SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::text[])`

/** Rows as the columns that a statement takes. */
const columnsOf = (rows: ReadonlyArray<ReadonlyArray<Parameter>>): ReadonlyArray<ReadonlyArray<Parameter>> =>
  rows[0]!.map((_, column) => rows.map((row) => row[column]!))

/** Each in one statement, however many deliveries there are. */
export const listWrites = (query: ListQuery): DeliveryWrites => ({
  take: (rows) => (rows.length === 0 ? Effect.void : Effect.asVoid(query(take, ...columnsOf(rows)))),
  settle: (rows) => {
    if (rows.length === 0) return Effect.succeed([])
    return Effect.map(query<[sequence: number]>(settle, ...columnsOf(rows)), (settled) => {
      const sequences = new Set(settled.map(([sequence]) => sequence))
      return rows.map((row) => sequences.has(row[7]))
    })
  },
  log: (rows) => (rows.length === 0 ? Effect.void : Effect.asVoid(query(log, ...columnsOf(rows))))
})
