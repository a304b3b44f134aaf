import type { DatabaseSync } from "node:sqlite"
import { type Attempt, type Delivery, scheduleOf } from "@tapedeck/domain"
import type { FixedPart } from "../../sql/deliveryRows.ts"

/** A delivery's row, with as much of it as its invariants are about. */
interface Row {
  readonly id: string
  readonly state: string
  readonly state_document: string
  readonly retry: number
  readonly attempts: number
  readonly held: string | null
  readonly due_kind: string | null
  readonly due_at: number | null
  readonly due_order: number | null
  /** Null where it is lost. */
  readonly document: string | null
  /** The numbers and outcomes of the attempts on record, in their order, as JSON. */
  readonly recorded: string
}

type Recorded = readonly [place: number, attempt: Attempt["attempt"], outcome: Attempt["outcome"]]

const rows = `
  SELECT d.id, d.state, d.state_document, d.retry, d.attempts, d.held, d.due_kind, d.due_at, d.due_order, o.document,
    (SELECT json_group_array(json_array(place, document ->> 'attempt', document ->> 'outcome') ORDER BY place)
      FROM delivery_attempts a WHERE a.sequence = d.sequence) AS recorded
  FROM deliveries d LEFT JOIN delivery_documents o ON o.sequence = d.sequence ORDER BY d.sequence`

const lost = `
  SELECT 'what delivery ' || (document ->> 'id') || ' sends is there, and the delivery is not' AS text FROM delivery_documents
  WHERE sequence NOT IN (SELECT sequence FROM deliveries)
  UNION ALL
  SELECT 'attempt ' || place || ' is of a delivery that is not there (' || sequence || ')' FROM delivery_attempts
  WHERE sequence NOT IN (SELECT sequence FROM deliveries)`

/** What does not hold of the deliveries in a database, each in a line that names the delivery; and how many there are. */
export const inspectDeliveries = (database: DatabaseSync) => {
  const faults = database
    .prepare(lost)
    .all()
    .map(({ text }) => String(text))
  let count = 0
  for (const row of database.prepare(rows).iterate()) {
    count++
    const one = row as unknown as Row
    for (const fault of faultsOf(one)) faults.push(`delivery ${one.id}: ${fault}`)
  }
  return { count, faults }
}

const faultsOf = (row: Row): ReadonlyArray<string> => {
  if (row.document === null) return ["what it sends is lost"]
  const state = JSON.parse(row.state_document) as Delivery["state"]
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
const dueFaults = (
  state: Delivery["state"],
  { due_at, due_kind, due_order, held, retry }: Row
): ReadonlyArray<string> => {
  const isOpen = state._tag === "Scheduled" || state._tag === "Waiting" || state._tag === "Attempting"
  const faults: Array<string> = []
  if (isOpen && (due_at === null || due_order === null)) faults.push(`it is ${state._tag}, and nothing of it is due`)
  if (!isOpen && due_at !== null) faults.push(`it is ${state._tag}, and something of it is due`)
  const kinds: ReadonlyArray<string | null> =
    state._tag === "Attempting" ? ["lease", "attempt_end"] : isOpen ? ["attempt"] : [null]
  if (!kinds.includes(due_kind)) faults.push(`it is ${state._tag}, and what is due is ${due_kind ?? "nothing"}`)
  if ((state._tag === "Scheduled" || state._tag === "Waiting") && due_at !== null && due_at !== state.dueAt) {
    faults.push(`it is due at ${state.dueAt}, and its row says ${due_at}`)
  }
  if (held !== null && due_kind !== "attempt_end" && due_kind !== "lease")
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
