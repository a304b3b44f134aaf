import { Effect } from "effect"
import type { AttemptRow, DeliveryWrites, SettledRow } from "../sql/deliveryWrites.ts"
import { lookedUp } from "../sql/lookedUp.ts"
import type { ListQuery } from "./ListQuery.ts"

/**
 * Lists of texts go as one text each: JSON and names hold no control character as it is, so that nothing is escaped here and
 * taken apart there.
 */
const textList = "string_to_array(?, E'\\x1f', E'\\x1e')"

const insertLines = "INSERT INTO delivery_attempts (sequence, place, document, delivered_at)"

/** What becomes of each, beside what its row in the queue has to be still. */
const asTaken = `${lookedUp("q.sequence", "t.sequence")} AND q.fence = t.fence AND q.state = t.taken`

/**
 * A delivery that has ended leaves the queue, and any other changes its place in it; what was so of them is logged. None of
 * these was delivered by an attempt: `deliveries` is told how it ended, and its line tells nothing of that.
 */
const settle = `
  WITH t AS MATERIALIZED (
    SELECT * FROM unnest(?::bigint[], ?::bigint[], ${textList}, ${textList}, ?::bigint[], ?::bigint[], ${textList}, ?::bigint[],
        ${textList}, ?::bigint[], ?::bigint[], ?::bigint[], ${textList})
      AS t (sequence, fence, taken, ended_as, ended_at, retry, state, attempts, due_kind, due_at, due_order, place, line)
  ), ended AS (
    DELETE FROM delivery_queue q USING t WHERE ${asTaken} AND t.state IS NULL
    RETURNING q.sequence, t.ended_as, t.ended_at, t.place, t.line
  ), queued AS (
    UPDATE delivery_queue q SET retry = t.retry, state = t.state, attempts = t.attempts, due_kind = t.due_kind,
      due_at = t.due_at, due_order = t.due_order, claimed_at = NULL, held = NULL, leased_until = 0
    FROM t WHERE ${asTaken} AND t.state IS NOT NULL
    RETURNING q.sequence, t.place, t.line
  ), written AS (
    UPDATE deliveries d SET ended_as = e.ended_as, ended_at = e.ended_at FROM ended e
    WHERE ${lookedUp("d.sequence", "e.sequence")}
  ), logged AS (
    ${insertLines}
    SELECT sequence, place, line, NULL::bigint FROM ended WHERE line IS NOT NULL
    UNION ALL SELECT sequence, place, line, NULL::bigint FROM queued WHERE line IS NOT NULL
  )
  SELECT array_agg(sequence) FROM (SELECT sequence FROM ended UNION ALL SELECT sequence FROM queued) AS settled`

/**
 * The same for those that an attempt delivered, which are almost all: of less, and with fewer copies. `t` is materialized, or the
 * queue, while it is taken for empty, would be walked through for it instead of looked up in.
 */
const settleDelivered = `
  WITH t AS MATERIALIZED (
    SELECT * FROM unnest(?::bigint[], ?::bigint[], ${textList}, ?::bigint[], ${textList}, ?::bigint[])
      AS t (sequence, fence, taken, place, line, delivered_at)
  ), ended AS (
    DELETE FROM delivery_queue q USING t WHERE ${asTaken} RETURNING q.sequence, t.place, t.line, t.delivered_at
  ), logged AS (
    ${insertLines} SELECT sequence, place, line, delivered_at FROM ended
  )
  SELECT array_agg(sequence) FROM ended`

/** By an attempt: `deliveries` has not to be told. */
const isDelivered = ({ becomes }: SettledRow): boolean => "ended" in becomes && becomes.ended[0] === null

const log = `${insertLines} SELECT * FROM unnest(?::bigint[], ?::bigint[], ${textList}, ?::bigint[])`

/** A column as one parameter. One in which nothing is said is null: it is filled up with nulls. */
type Column<Row> = (rows: ReadonlyArray<Row>) => string | null
type Of<Row> = (row: Row) => string | number | null | undefined

const column =
  <Row>(of: Of<Row>, { absent, begin, between, end }: Notation): Column<Row> =>
  (rows) => {
    let text = begin
    let isSaid = false
    for (let index = 0; index < rows.length; index++) {
      const value = of(rows[index]!) ?? null
      if (index > 0) text += between
      text += value ?? absent
      if (value !== null) isSaid = true
    }
    return isSaid ? text + end : null
  }

interface Notation {
  readonly begin: string
  readonly between: string
  readonly absent: string
  readonly end: string
}

const numbers = <Row>(of: Of<Row>) => column(of, { begin: "{", between: ",", absent: "NULL", end: "}" })
const texts = <Row>(of: Of<Row>) => column(of, { begin: "", between: "\u001f", absent: "\u001e", end: "" })

/**
 * Columns of `t`, in their order. They are made once: what V8 compiles for functions that are made with each batch it throws
 * away with them, and compiles again.
 */
const settledColumns: ReadonlyArray<Column<SettledRow>> = [
  numbers(({ taken }) => taken.sequence),
  numbers(({ taken }) => taken.fence),
  texts(({ taken }) => taken.stateText),
  texts(({ becomes }) => ("ended" in becomes ? becomes.ended[0] : null)),
  numbers(({ becomes }) => ("ended" in becomes ? becomes.ended[1] : null)),
  numbers(({ becomes }) => ("queued" in becomes ? becomes.queued[0] : null)),
  texts(({ becomes }) => ("queued" in becomes ? becomes.queued[1] : null)),
  numbers(({ becomes }) => ("queued" in becomes ? becomes.queued[2] : null)),
  texts(({ becomes }) => ("queued" in becomes ? becomes.due[0] : null)),
  numbers(({ becomes }) => ("queued" in becomes ? becomes.due[1] : null)),
  numbers(({ becomes }) => ("queued" in becomes ? becomes.due[2] : null)),
  numbers(({ line }) => line?.[0]),
  texts(({ line }) => line?.[1])
]

const deliveredColumns: ReadonlyArray<Column<SettledRow>> = [
  numbers(({ taken }) => taken.sequence),
  numbers(({ taken }) => taken.fence),
  texts(({ taken }) => taken.stateText),
  numbers(({ line }) => line![0]),
  texts(({ line }) => line![1]),
  numbers(({ line }) => line![2])
]

const lineColumns: ReadonlyArray<Column<AttemptRow>> = [
  numbers(([sequence]) => sequence),
  numbers(([, place]) => place),
  texts(([, , document]) => document),
  numbers(([, , , deliveredAt]) => deliveredAt)
]

/** However many deliveries there are: one statement for those that were delivered, and one for all others. */
export const listWrites = (query: ListQuery): DeliveryWrites => {
  /** Which of them were settled, by their sequences. */
  const settled = (text: string, columns: ReadonlyArray<Column<SettledRow>>, rows: ReadonlyArray<SettledRow>) =>
    rows.length === 0
      ? Effect.succeed([])
      : Effect.map(
          query<[ReadonlyArray<number> | null]>(text, ...parametersOf(columns, rows)),
          ([row]) => row![0] ?? []
        )

  return {
    settle: Effect.fnUntraced(function* (rows) {
      const delivered: Array<SettledRow> = []
      const others: Array<SettledRow> = []
      // Who settles a delivery twice side by side has it settled once, and then finds that it is.
      const asked = new Map<number, SettledRow>()
      for (const row of rows) {
        if (asked.has(row.taken.sequence)) continue
        asked.set(row.taken.sequence, row)
        if (isDelivered(row)) delivered.push(row)
        else others.push(row)
      }
      const found = new Set<SettledRow>()
      for (const sequence of yield* settled(settleDelivered, deliveredColumns, delivered))
        found.add(asked.get(sequence)!)
      for (const sequence of yield* settled(settle, settledColumns, others)) found.add(asked.get(sequence)!)
      const isSettled: Array<boolean> = []
      for (const row of rows) isSettled.push(found.has(row))
      return isSettled
    }),
    log: (rows: ReadonlyArray<AttemptRow>) =>
      rows.length === 0 ? Effect.void : Effect.asVoid(query(log, ...parametersOf(lineColumns, rows)))
  }
}

const parametersOf = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>) =>
  columns.map((column) => column(rows))
