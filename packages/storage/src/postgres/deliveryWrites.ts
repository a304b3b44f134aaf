import { Effect } from "effect"
import type { AttemptRow, DeliveryWrites, SettledRow } from "../sql/deliveryWrites.ts"
import { lookedUp } from "../sql/lookedUp.ts"
import type { Parameter } from "../sql/Query.ts"
import type { ListQuery } from "./ListQuery.ts"

/**
 * Lists of texts go as one text each: JSON and names hold no control character as it is, so that nothing is escaped here and
 * taken apart there.
 */
const separator = "\u001f"
const nothing = "\u001e"
const texts = "string_to_array(?, E'\\x1f', E'\\x1e')"

const insertLines = "INSERT INTO delivery_attempts (sequence, place, document, delivered_at)"

/** What becomes of each, beside what its row in the queue has to be still. */
const asTaken = `${lookedUp("q.sequence", "t.sequence")} AND q.fence = t.fence AND q.state = t.taken`

/**
 * A delivery that has ended leaves the queue, and any other changes its place in it; what was so of them is logged. `deliveries`
 * has yet to be told how it ended only where no attempt delivered it.
 */
const settle = `
  WITH t AS MATERIALIZED (
    SELECT * FROM unnest(?::bigint[], ?::bigint[], ${texts}, ${texts}, ?::bigint[], ?::bigint[], ${texts}, ?::bigint[],
        ${texts}, ?::bigint[], ?::bigint[], ?::bigint[], ${texts}, ?::bigint[])
      AS t (sequence, fence, taken, ended_as, ended_at, retry, state, attempts, due_kind, due_at, due_order, place, line,
        delivered_at)
  ), ended AS (
    DELETE FROM delivery_queue q USING t WHERE ${asTaken} AND t.state IS NULL
    RETURNING q.sequence, t.ended_as, t.ended_at, t.place, t.line, t.delivered_at
  ), queued AS (
    UPDATE delivery_queue q SET retry = t.retry, state = t.state, attempts = t.attempts, due_kind = t.due_kind,
      due_at = t.due_at, due_order = t.due_order, claimed_at = NULL, held = NULL, leased_until = 0
    FROM t WHERE ${asTaken} AND t.state IS NOT NULL
    RETURNING q.sequence, t.place, t.line, t.delivered_at
  ), written AS (
    UPDATE deliveries d SET ended_as = e.ended_as, ended_at = e.ended_at FROM ended e
    WHERE e.ended_as IS NOT NULL AND ${lookedUp("d.sequence", "e.sequence")}
  ), logged AS (
    ${insertLines}
    SELECT sequence, place, line, delivered_at FROM ended WHERE line IS NOT NULL
    UNION ALL SELECT sequence, place, line, delivered_at FROM queued WHERE line IS NOT NULL
  )
  SELECT sequence FROM ended UNION ALL SELECT sequence FROM queued`

const log = `${insertLines} SELECT * FROM unnest(?::bigint[], ?::bigint[], ${texts}, ?::bigint[])`

const textOf = (values: ReadonlyArray<Parameter>): string => {
  let text = ""
  for (let index = 0; index < values.length; index++) {
    if (index > 0) text += separator
    text += values[index] ?? nothing
  }
  return text
}

/** A column in which nothing is said is no list at all: it is filled up with nulls. */
const said = <Column>(values: ReadonlyArray<Parameter>, column: Column): Column | null =>
  values.every((value) => value === null) ? null : column

/** The columns of `t`, in their order. */
const columnsOf = (rows: ReadonlyArray<SettledRow>): ReadonlyArray<Parameter | ReadonlyArray<Parameter>> => {
  const numbers = (of: (row: SettledRow) => number | null | undefined) => {
    const values = rows.map((row) => of(row) ?? null)
    return said(values, values)
  }
  const texts = (of: (row: SettledRow) => string | null | undefined) => {
    const values = rows.map((row) => of(row) ?? null)
    return said(values, textOf(values))
  }
  return [
    numbers(({ taken }) => taken.sequence),
    numbers(({ taken }) => taken.fence),
    texts(({ taken }) => taken.stateText),
    texts(({ becomes }) => ("ended" in becomes ? becomes.ended[0] : undefined)),
    numbers(({ becomes }) => ("ended" in becomes ? becomes.ended[1] : undefined)),
    numbers(({ becomes }) => ("queued" in becomes ? becomes.queued[0] : undefined)),
    texts(({ becomes }) => ("queued" in becomes ? becomes.queued[1] : undefined)),
    numbers(({ becomes }) => ("queued" in becomes ? becomes.queued[2] : undefined)),
    texts(({ becomes }) => ("queued" in becomes ? becomes.due[0] : undefined)),
    numbers(({ becomes }) => ("queued" in becomes ? becomes.due[1] : undefined)),
    numbers(({ becomes }) => ("queued" in becomes ? becomes.due[2] : undefined)),
    numbers(({ line }) => line?.[0]),
    texts(({ line }) => line?.[1]),
    numbers(({ line }) => line?.[2])
  ]
}

/** Each in one statement, however many deliveries there are. */
export const listWrites = (query: ListQuery): DeliveryWrites => ({
  settle: (rows) => {
    if (rows.length === 0) return Effect.succeed([])
    // Who settles a delivery twice side by side has it settled once, and then finds that it is.
    const asked = new Map<number, SettledRow>()
    for (const row of rows) if (!asked.has(row.taken.sequence)) asked.set(row.taken.sequence, row)
    return Effect.map(query<[sequence: number]>(settle, ...columnsOf([...asked.values()])), (found) => {
      const settled = new Set(found.map(([sequence]) => asked.get(sequence)))
      return rows.map((row) => settled.has(row))
    })
  },
  log: (rows: ReadonlyArray<AttemptRow>) => {
    if (rows.length === 0) return Effect.void
    const column = <Index extends keyof AttemptRow>(index: Index) => rows.map((row) => row[index] as Parameter)
    return Effect.asVoid(query(log, column(0), column(1), textOf(column(2)), column(3)))
  }
})
