import { type Attempt, type Delivery, scheduleOf } from "@tapedeck/domain"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { FixedPart } from "../deliveryRows.ts"
import type { Query } from "../Query.ts"
import type { JsonWords } from "./words.ts"

/** A delivery's row, with as much of it as its invariants are about. */
interface Row {
  readonly id: string
  readonly state: string
  readonly stateText: string
  readonly retry: number
  readonly attempts: number
  readonly held: string | null
  readonly dueKind: string | null
  readonly dueAt: number | null
  readonly dueOrder: number | null
  /** Null where it is lost. */
  readonly document: string | null
  /** The numbers and outcomes of the attempts on record, in their order, as JSON. */
  readonly recorded: string
}

type Recorded = readonly [place: number, attempt: Attempt["attempt"], outcome: Attempt["outcome"]]

type RowColumns = readonly [
  sequence: number,
  id: string,
  state: string,
  stateText: string,
  retry: number,
  attempts: number,
  held: string | null,
  dueKind: string | null,
  dueAt: number | null,
  dueOrder: number | null,
  document: string | null,
  recorded: string
]

const rowOf = (columns: RowColumns): Row => {
  const [, id, state, stateText, retry, attempts, held, dueKind, dueAt, dueOrder, document, recorded] = columns
  return { id, state, stateText, retry, attempts, held, dueKind, dueAt, dueOrder, document, recorded }
}

const selectRows = ({ array, arrayOf, json }: JsonWords) => `
  SELECT d.sequence, d.id, d.state, d.state_document, d.retry, d.attempts, d.held, d.due_kind, d.due_at,
    d.due_order, o.document,
    (SELECT ${arrayOf(array("place", `${json("document")} -> 'attempt'`, `${json("document")} -> 'outcome'`), "place")}
      FROM delivery_attempts a WHERE a.sequence = d.sequence)
  FROM deliveries d LEFT JOIN delivery_documents o ON o.sequence = d.sequence
  WHERE d.sequence > ? ORDER BY d.sequence LIMIT ?`

/** So many at once are held in memory. */
const pageSize = 5_000

const selectLost = ({ json }: JsonWords) => `
  SELECT 'what delivery ' || (${json("o.document")} ->> 'id') || ' sends is there, and the delivery is not'
  FROM delivery_documents o WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.sequence = o.sequence)
  UNION ALL
  SELECT 'attempt ' || a.place || ' is of a delivery that is not there (' || a.sequence || ')'
  FROM delivery_attempts a WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.sequence = a.sequence)`

export interface InspectedDeliveries {
  readonly count: number
  /** Each in a line that names the delivery. */
  readonly faults: ReadonlyArray<string>
}

/** What does not hold of the deliveries in a database, which must not change meanwhile; and how many there are. */
export const inspectDeliveries = Effect.fnUntraced(function* (
  query: Query,
  words: JsonWords
): Effect.fn.Return<InspectedDeliveries, SqlError> {
  const faults = (yield* query<[string]>(selectLost(words))).map(([text]) => text)
  let count = 0
  for (let after = 0; ; ) {
    const page = yield* query<RowColumns>(selectRows(words), after, pageSize)
    for (const columns of page) {
      const row = rowOf(columns)
      for (const fault of faultsOf(row)) faults.push(`delivery ${row.id}: ${fault}`)
      after = columns[0]
    }
    count += page.length
    if (page.length < pageSize) return { count, faults }
  }
})

const faultsOf = (row: Row): ReadonlyArray<string> => {
  if (row.document === null) return ["what it sends is lost"]
  const state = JSON.parse(row.stateText) as Delivery["state"]
  const recorded = JSON.parse(row.recorded) as ReadonlyArray<Recorded>
  const most = 1 + scheduleOf(JSON.parse(row.document) as FixedPart).length
  return [
    ...(state._tag === row.state ? [] : [`its state is ${state._tag}, and its row says ${row.state}`]),
    ...dueFaults(state, row),
    ...recordFaults(recorded, row, most),
    ...stateFaults(state, recorded, most)
  ]
}

/** Each has ended or has something due; what is in hand has the end of its lease, or of its attempt. */
const dueFaults = (state: Delivery["state"], { dueAt, dueKind, dueOrder, held, retry }: Row): ReadonlyArray<string> => {
  const isOpen = state._tag === "Scheduled" || state._tag === "Waiting" || state._tag === "Attempting"
  const faults: Array<string> = []
  if (isOpen && (dueAt === null || dueOrder === null)) faults.push(`it is ${state._tag}, and nothing of it is due`)
  if (!isOpen && dueAt !== null) faults.push(`it is ${state._tag}, and something of it is due`)
  const kinds: ReadonlyArray<string | null> =
    state._tag === "Attempting" ? ["lease", "attempt_end"] : isOpen ? ["attempt"] : [null]
  if (!kinds.includes(dueKind)) faults.push(`it is ${state._tag}, and what is due is ${dueKind ?? "nothing"}`)
  if ((state._tag === "Scheduled" || state._tag === "Waiting") && dueAt !== null && dueAt !== state.dueAt) {
    faults.push(`it is due at ${state.dueAt}, and its row says ${dueAt}`)
  }
  if (held !== null && dueKind !== "attempt_end" && dueKind !== "lease")
    faults.push("it holds a result, and no attempt ends")
  if (retry !== (state._tag === "Scheduled" ? 0 : 1)) faults.push(`it is ${state._tag}, in the other lane`)
  return faults
}

/** Attempts are numbered from 1 and never twice; one whose worker was lost left no record. */
const recordFaults = (recorded: ReadonlyArray<Recorded>, row: Row, most: number): ReadonlyArray<string> => {
  const faults: Array<string> = []
  if (recorded.length !== row.attempts)
    faults.push(`it has ${recorded.length} attempts, and its row says ${row.attempts}`)
  let before = 0
  for (const [index, [place, attempt]] of recorded.entries()) {
    if (place !== index) faults.push(`the attempt at place ${index} is missing`)
    if (attempt <= before) faults.push(`attempt ${attempt} comes after attempt ${before}`)
    if (attempt > most) faults.push(`attempt ${attempt} is one more than its ${most}`)
    before = attempt
  }
  return faults
}

const stateFaults = (
  state: Delivery["state"],
  recorded: ReadonlyArray<Recorded>,
  most: number
): ReadonlyArray<string> => {
  const [, last = 0, outcome] = recorded.at(-1) ?? []
  const successes = recorded.filter(([, , one]) => one === "success").length
  const faults: Array<string> = []
  if (state._tag === "Delivered" && outcome !== "success")
    faults.push("it is Delivered, and its last attempt was no success")
  if (successes > (state._tag === "Delivered" ? 1 : 0)) faults.push(`it is ${state._tag}, after ${successes} successes`)
  if (state._tag === "Scheduled" && last > 0) faults.push("it waits for its first attempt, and has had one")
  if (state._tag === "Waiting" && (state.retry >= most || state.retry < last)) {
    faults.push(`it waits for retry ${state.retry} of ${most - 1}, after attempt ${last}`)
  }
  if (state._tag === "Attempting" && (state.attempt > most || state.attempt <= last)) {
    faults.push(`attempt ${state.attempt} of ${most} is under way, after attempt ${last}`)
  }
  return faults
}
