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

const take = `
  UPDATE deliveries d SET retry = 1, state = t.state, state_document = t.state_document, fence = t.fence,
    due_kind = 'lease', due_at = t.due_at, due_order = t.due_order
  FROM unnest(${texts}, ${texts}, ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
    AS t (state, state_document, fence, due_at, due_order, sequence)
  WHERE d.sequence = t.sequence`

const insertLines = "INSERT INTO delivery_attempts (sequence, place, document)"

// OFFSET 0: joined, the documents would be gone through for each that is settled.
const settle = `
  WITH settled AS (
    UPDATE deliveries d SET retry = t.retry, state = t.state, state_document = t.state_document, attempts = t.attempts,
      held = NULL, due_kind = t.due_kind, due_at = t.due_at, due_order = t.due_order
    FROM unnest(?::bigint[], ${texts}, ${texts}, ?::bigint[], ${texts}, ?::bigint[], ?::bigint[], ?::bigint[],
        ?::bigint[], ${texts})
      AS t (retry, state, state_document, attempts, due_kind, due_at, due_order, sequence, fence, before)
    WHERE d.sequence = t.sequence AND d.fence = t.fence AND d.state_document = t.before
    RETURNING d.sequence, d.fence
  ), logged AS (
    ${insertLines}
    SELECT l.sequence, l.place, l.document
    FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ${texts}) AS l (fence, sequence, place, document)
    WHERE EXISTS (SELECT FROM settled s WHERE s.sequence = l.sequence AND s.fence = l.fence OFFSET 0)
  )
  SELECT sequence, fence FROM settled`

const log = `${insertLines} SELECT * FROM unnest(?::bigint[], ?::bigint[], ${texts})`

/** Rows as the columns that a statement takes; those of texts by their places. */
const columnsOf = (
  rows: ReadonlyArray<ReadonlyArray<Parameter>>,
  ofTexts: ReadonlyArray<number>,
  width: number
): ReadonlyArray<string | null | ReadonlyArray<Parameter>> =>
  Array.from({ length: width }, (_, column) => {
    const values = rows.map((row) => row[column]!)
    return ofTexts.includes(column) ? values.map((value) => value ?? nothing).join(separator) : values
  })

const placeOf = ([, , , , , , , sequence, fence]: SettledRow): string => `${sequence} ${fence}`

/** Each in one statement, however many deliveries there are. */
export const listWrites = (query: ListQuery): DeliveryWrites => ({
  take: (rows) => (rows.length === 0 ? Effect.void : Effect.asVoid(query(take, ...columnsOf(rows, [0, 1], 6)))),
  settle: (rows, lines) => {
    if (rows.length === 0) return Effect.succeed([])
    // Who settles a claim twice side by side has it settled once.
    const first = new Map(rows.map((row, index) => [placeOf(row), index] as const).reverse())
    const asked = rows.map((row, index) => first.get(placeOf(row)) === index)
    const settled = rows.filter((_, index) => asked[index])
    const logged = lines.flatMap(
      (own, index): ReadonlyArray<readonly [number, ...AttemptRow]> =>
        asked[index] ? own.map((line) => [rows[index]![8], ...line]) : []
    )
    const columns = [...columnsOf(settled, [1, 2, 4, 9], 10), ...columnsOf(logged, [3], 4)]
    return Effect.map(query<[sequence: number, fence: number]>(settle, ...columns), (found) => {
      const places = new Set(found.map(([sequence, fence]) => `${sequence} ${fence}`))
      return rows.map((row, index) => asked[index]! && places.has(placeOf(row)))
    })
  },
  log: (rows) => (rows.length === 0 ? Effect.void : Effect.asVoid(query(log, ...columnsOf(rows, [2], 3))))
})
