import { Effect } from "effect"
import { lookup } from "../../sql/database/statements.ts"
import type { DeliveryPort, Outcome } from "../../sql/deliveries/DeliveryPort.ts"
import type { AttemptRow } from "../../sql/deliveries/rows.ts"
import { groupTallies, type TallyGroup } from "../../sql/deliveries/settle.ts"
import type { ListQuery } from "../connection.ts"

/**
 * A list of texts is one text with separators: JSON and names contain no unescaped control character, so that neither side has to
 * escape or parse anything.
 */
const textList = "string_to_array(?, E'\\x1f', E'\\x1e')"

const insertInto = "INSERT INTO delivery_attempts (sequence, place, document, delivered_at)"

/** The fence belongs to one claim. The state changes if the delivery is cancelled or ends meanwhile. */
const isUnchanged = `${lookup("q.sequence", "t.sequence")} AND q.fence = t.fence AND q.state = t.claimed_state`

/**
 * Adds what was recorded to the counters. Rows have the place of their counter in four arrays: few counters for many rows. Each
 * connection counts in rows of its own (`shard`), so that batches do not wait for each other.
 */
const counted = (recorded: string) => `counted AS MATERIALIZED (
    SELECT accounts[counter] AS account_id, hours[counter] AS hour, receivers[counter] AS receiver,
      measures[counter] AS measure, count(*) AS attempts, min(at) AS first_at, max(at) AS last_at
    FROM ${recorded}
    CROSS JOIN (
      SELECT ?::bigint[] AS accounts, ?::bigint[] AS hours, ${textList} AS receivers, ?::bigint[] AS measures
    ) AS counters
    WHERE counter IS NOT NULL GROUP BY 1, 2, 3, 4
  ), tallied AS (
    INSERT INTO attempt_counts AS a (account_id, hour, receiver, measure, attempts)
    SELECT account_id, hour, receiver, measure, attempts FROM counted
    ON CONFLICT (account_id, hour, receiver, measure, shard) DO UPDATE SET attempts = a.attempts + excluded.attempts
  )`

/**
 * Removes ended deliveries from the queue, queues the others again, and inserts the attempts of those whose row is unchanged. None
 * of these was delivered by an attempt: `deliveries` gets the end, and the attempt has no `delivered_at`.
 */
const recordOthers = `
  WITH t AS MATERIALIZED (
    SELECT * FROM unnest(?::bigint[], ?::bigint[], ${textList}, ${textList}, ?::bigint[], ?::bigint[], ${textList}, ?::bigint[],
        ${textList}, ?::bigint[], ?::bigint[], ?::bigint[], ${textList}, ?::bigint[], ?::bigint[])
      AS t (sequence, fence, claimed_state, ended_as, ended_at, retry, state, attempts, due_kind, due_at, due_order, place, attempt,
        counter, at)
  ), ended AS (
    DELETE FROM delivery_queue q USING t WHERE ${isUnchanged} AND t.state IS NULL
    RETURNING q.sequence, t.ended_as, t.ended_at, t.place, t.attempt, t.counter, t.at
  ), queued AS (
    UPDATE delivery_queue q SET retry = t.retry, state = t.state, attempts = t.attempts, due_kind = t.due_kind,
      due_at = t.due_at, due_order = t.due_order, claimed_at = NULL, held = NULL, leased_until = 0
    FROM t WHERE ${isUnchanged} AND t.state IS NOT NULL
    RETURNING q.sequence, t.place, t.attempt, t.counter, t.at
  ), written AS (
    UPDATE deliveries d SET ended_as = e.ended_as, ended_at = e.ended_at FROM ended e
    WHERE ${lookup("d.sequence", "e.sequence")}
  ), inserted AS (
    ${insertInto}
    SELECT sequence, place, attempt, NULL::bigint FROM ended WHERE attempt IS NOT NULL
    UNION ALL SELECT sequence, place, attempt, NULL::bigint FROM queued WHERE attempt IS NOT NULL
  ), ${counted("(SELECT counter, at FROM ended UNION ALL SELECT counter, at FROM queued) AS recorded")},
  failing AS (
    INSERT INTO receiver_health AS h (account_id, receiver, failing_since, failures, last_at)
    SELECT account_id, receiver, min(first_at), sum(attempts), max(last_at) FROM counted GROUP BY account_id, receiver
    ON CONFLICT (account_id, receiver, shard) DO UPDATE SET
      failing_since = coalesce(h.failing_since, excluded.failing_since), failures = h.failures + excluded.failures,
      last_at = greatest(h.last_at, excluded.last_at)
  )
  SELECT array_agg(sequence) FROM (SELECT sequence FROM ended UNION ALL SELECT sequence FROM queued) AS recorded`

/**
 * The same for deliveries that an attempt delivered, almost all of them: fewer columns, fewer copies. `t` is materialized because
 * PostgreSQL would otherwise scan a queue that it believes to be empty.
 */
const recordDelivered = `
  WITH t AS MATERIALIZED (
    SELECT * FROM unnest(?::bigint[], ?::bigint[], ${textList}, ?::bigint[], ${textList}, ?::bigint[], ?::bigint[])
      AS t (sequence, fence, claimed_state, place, attempt, delivered_at, counter)
  ), ended AS (
    DELETE FROM delivery_queue q USING t WHERE ${isUnchanged} RETURNING q.sequence, t.place, t.attempt, t.delivered_at, t.counter
  ), inserted AS (
    ${insertInto} SELECT sequence, place, attempt, delivered_at FROM ended
  ), ${counted("(SELECT counter, delivered_at AS at FROM ended) AS recorded")},
  succeeding AS (
    INSERT INTO receiver_health AS h (account_id, receiver, last_success_at, failures, last_at)
    SELECT account_id, receiver, max(last_at), 0, max(last_at) FROM counted GROUP BY account_id, receiver
    ON CONFLICT (account_id, receiver, shard) DO UPDATE SET
      last_success_at = greatest(h.last_success_at, excluded.last_success_at), failing_since = NULL, failures = 0,
      last_at = greatest(h.last_at, excluded.last_at)
  ), recovered AS (
    SELECT h.* FROM (SELECT DISTINCT account_id, receiver FROM counted) AS c
    CROSS JOIN LATERAL (
      SELECT account_id, receiver, shard FROM receiver_health
      WHERE account_id = c.account_id AND receiver = c.receiver AND failures > 0 AND shard <> pg_backend_pid() % 64
      FOR UPDATE SKIP LOCKED
    ) AS h
  ), ended_failures AS (
    UPDATE receiver_health h SET failing_since = NULL, failures = 0 FROM recovered r
    WHERE h.account_id = r.account_id AND h.receiver = r.receiver AND h.shard = r.shard
  )
  SELECT array_agg(sequence) FROM ended`

/** Returns whether the attempt delivered. The attempt says so: `deliveries` is not written. */
const isDelivered = ({ next }: Outcome): boolean => "ended" in next && next.ended[0] === null

const insert = `${insertInto} SELECT * FROM unnest(?::bigint[], ?::bigint[], ${textList}, ?::bigint[])`

/** A column as one parameter. A column without values is null: `unnest` fills it with nulls. */
type Column<Row> = (rows: ReadonlyArray<Row>) => string | null
type Of<Row> = (row: Row) => string | number | null | undefined

/** `counter`: the place of its counter, from 1; null if it adds to none. */
type CountedOutcome = Outcome & { readonly counter: number | null }

const column =
  <Row>(of: Of<Row>, { absent, begin, between, end }: Notation): Column<Row> =>
  (rows) => {
    let text = begin
    let hasValue = false
    for (let index = 0; index < rows.length; index++) {
      const value = of(rows[index]!) ?? null
      if (index > 0) text += between
      text += value ?? absent
      if (value !== null) hasValue = true
    }
    return hasValue ? text + end : null
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
 * The columns of `t`, in order. These functions are created once: V8 would compile functions that are created for each batch again
 * and again.
 */
const otherColumns: ReadonlyArray<Column<CountedOutcome>> = [
  numbers(({ row }) => row.sequence),
  numbers(({ row }) => row.fence),
  texts(({ row }) => row.stateText),
  texts(({ next }) => ("ended" in next ? next.ended[0] : null)),
  numbers(({ next }) => ("ended" in next ? next.ended[1] : null)),
  numbers(({ next }) => ("queued" in next ? next.queued[0] : null)),
  texts(({ next }) => ("queued" in next ? next.queued[1] : null)),
  numbers(({ next }) => ("queued" in next ? next.queued[2] : null)),
  texts(({ next }) => ("queued" in next ? next.due[0] : null)),
  numbers(({ next }) => ("queued" in next ? next.due[1] : null)),
  numbers(({ next }) => ("queued" in next ? next.due[2] : null)),
  numbers(({ attempt }) => attempt?.[0]),
  texts(({ attempt }) => attempt?.[1]),
  numbers(({ counter }) => counter),
  numbers(({ tally }) => tally?.at)
]

const deliveredColumns: ReadonlyArray<Column<CountedOutcome>> = [
  numbers(({ row }) => row.sequence),
  numbers(({ row }) => row.fence),
  texts(({ row }) => row.stateText),
  numbers(({ attempt }) => attempt![0]),
  texts(({ attempt }) => attempt![1]),
  numbers(({ attempt }) => attempt![2]),
  numbers(({ counter }) => counter)
]

const counterColumns: ReadonlyArray<Column<TallyGroup>> = [
  numbers(({ accountId }) => accountId),
  numbers(({ hour }) => hour),
  texts(({ receiver }) => receiver),
  numbers(({ measure }) => measure)
]

const attemptColumns: ReadonlyArray<Column<AttemptRow>> = [
  numbers(([sequence]) => sequence),
  numbers(([, place]) => place),
  texts(([, , document]) => document),
  numbers(([, , , deliveredAt]) => deliveredAt)
]

/** Records a batch with at most two statements: one for delivered deliveries, and one for all others. */
export const makeOutcomes = (query: ListQuery): Pick<DeliveryPort, "recordOutcomes" | "insertAttempts"> => {
  /** The sequences of the recorded outcomes. */
  const record = (text: string, columns: ReadonlyArray<Column<CountedOutcome>>, outcomes: ReadonlyArray<Outcome>) => {
    if (outcomes.length === 0) return Effect.succeed([])
    const { groups, indexes } = groupTallies(outcomes.map(({ tally }) => tally))
    const rows = outcomes.map((outcome, row) => {
      const index = indexes[row]!
      return { ...outcome, counter: index === null ? null : index + 1 }
    })
    return Effect.map(
      query<[ReadonlyArray<number> | null]>(
        text,
        ...parametersOf(columns, rows),
        ...parametersOf(counterColumns, groups)
      ),
      ([row]) => row![0] ?? []
    )
  }

  return {
    recordOutcomes: Effect.fnUntraced(function* (outcomes) {
      const delivered: Array<Outcome> = []
      const others: Array<Outcome> = []
      // If a batch has two outcomes of one claim, the first is recorded.
      const bySequence = new Map<number, Outcome>()
      for (const outcome of outcomes) {
        if (bySequence.has(outcome.row.sequence)) continue
        bySequence.set(outcome.row.sequence, outcome)
        if (isDelivered(outcome)) delivered.push(outcome)
        else others.push(outcome)
      }
      const recorded = new Set<Outcome>()
      for (const sequence of yield* record(recordDelivered, deliveredColumns, delivered))
        recorded.add(bySequence.get(sequence)!)
      for (const sequence of yield* record(recordOthers, otherColumns, others)) recorded.add(bySequence.get(sequence)!)
      const isRecorded: Array<boolean> = []
      for (const outcome of outcomes) isRecorded.push(recorded.has(outcome))
      return isRecorded
    }),
    insertAttempts: (rows) =>
      rows.length === 0 ? Effect.void : Effect.asVoid(query(insert, ...parametersOf(attemptColumns, rows)))
  }
}

const parametersOf = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>) =>
  columns.map((column) => column(rows))
