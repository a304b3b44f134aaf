import { Effect } from "effect"
import type { AttemptRow, DeliveryWrites, SettledRow } from "../sql/deliveryWrites.ts"
import type { Parameter } from "../sql/Query.ts"
import type { ListQuery } from "./ListQuery.ts"

/**
 * Lists of texts go as one text each: JSON and names hold no control character as it is, so that nothing is escaped here and
 * taken apart there.
 */
const separator = "\u001f"
const nothing = "\u001e"
const texts = "string_to_array(?, E'\\x1f', E'\\x1e')"

const insertLines = "INSERT INTO delivery_attempts (sequence, place, document)"

/** What becomes of each, beside what its row in the queue has to be still. */
const asTaken = "q.sequence = t.sequence AND q.fence = t.fence AND q.state = t.taken"

/** A delivery that has ended leaves the queue, and any other changes its place in it; what was so of them is logged. */
const settle = `
  WITH t AS MATERIALIZED (
    SELECT * FROM unnest(?::bigint[], ?::bigint[], ${texts}, ${texts}, ?::bigint[], ?::bigint[], ${texts}, ?::bigint[],
        ${texts}, ?::bigint[], ?::bigint[], ?::bigint[], ${texts})
      AS t (sequence, fence, taken, ended_as, ended_at, retry, state, attempts, due_kind, due_at, due_order, place, line)
  ), ended AS (
    DELETE FROM delivery_queue q USING t WHERE ${asTaken} AND t.ended_as IS NOT NULL
    RETURNING q.sequence, q.fence, t.ended_as, t.ended_at, t.place, t.line
  ), queued AS (
    UPDATE delivery_queue q SET retry = t.retry, state = t.state, claimed_at = NULL, attempts = t.attempts, held = NULL,
      due_kind = t.due_kind, due_at = t.due_at, due_order = t.due_order
    FROM t WHERE ${asTaken} AND t.ended_as IS NULL
    RETURNING q.sequence, q.fence, t.place, t.line
  ), written AS (
    UPDATE deliveries d SET ended_as = e.ended_as, ended_at = e.ended_at FROM ended e WHERE d.sequence = e.sequence
  ), logged AS (
    ${insertLines}
    SELECT sequence, place, line FROM ended WHERE line IS NOT NULL
    UNION ALL SELECT sequence, place, line FROM queued WHERE line IS NOT NULL
  )
  SELECT sequence, fence FROM ended UNION ALL SELECT sequence, fence FROM queued`

const log = `${insertLines} SELECT * FROM unnest(?::bigint[], ?::bigint[], ${texts})`

const textOf = (values: ReadonlyArray<Parameter>): string => values.map((value) => value ?? nothing).join(separator)

/** The columns of `t`, in their order. */
const columnsOf = (rows: ReadonlyArray<SettledRow>): ReadonlyArray<string | ReadonlyArray<Parameter>> => {
  const ends = rows.map(({ becomes }) => ("ended" in becomes ? becomes.ended : undefined))
  const again = rows.map(({ becomes }) => ("queued" in becomes ? becomes : undefined))
  return [
    rows.map(({ taken }) => taken.sequence),
    rows.map(({ taken }) => taken.fence),
    textOf(rows.map(({ taken }) => taken.stateText)),
    textOf(ends.map((end) => end?.[0] ?? null)),
    ends.map((end) => end?.[1] ?? null),
    again.map((one) => one?.queued[0] ?? null),
    textOf(again.map((one) => one?.queued[1] ?? null)),
    again.map((one) => one?.queued[2] ?? null),
    textOf(again.map((one) => one?.due[0] ?? null)),
    again.map((one) => one?.due[1] ?? null),
    again.map((one) => one?.due[2] ?? null),
    rows.map(({ line }) => line?.[0] ?? null),
    textOf(rows.map(({ line }) => line?.[1] ?? null))
  ]
}

const placeOf = ({ taken }: SettledRow): string => `${taken.sequence} ${taken.fence}`

/** Each in one statement, however many deliveries there are. */
export const listWrites = (query: ListQuery): DeliveryWrites => ({
  settle: (rows) => {
    if (rows.length === 0) return Effect.succeed([])
    // Who settles a claim twice side by side has it settled once.
    const first = new Map(rows.map((row, index) => [placeOf(row), index] as const).reverse())
    const asked = rows.map((row, index) => first.get(placeOf(row)) === index)
    const columns = columnsOf(rows.filter((_, index) => asked[index]))
    return Effect.map(query<[sequence: number, fence: number]>(settle, ...columns), (found) => {
      const places = new Set(found.map(([sequence, fence]) => `${sequence} ${fence}`))
      return rows.map((row, index) => asked[index]! && places.has(placeOf(row)))
    })
  },
  log: (rows: ReadonlyArray<AttemptRow>) => {
    if (rows.length === 0) return Effect.void
    const column = <Index extends keyof AttemptRow>(index: Index) => rows.map((row) => row[index] as Parameter)
    return Effect.asVoid(query(log, column(0), column(1), textOf(column(2))))
  }
})
