import { isFirst } from "@tapedeck/core"
import { type Attempt, type Delivery, decideDelivery, type Instant, scheduleOf } from "@tapedeck/domain"
import { Effect, Result } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { endedState, type FixedPart } from "../deliveryRows.ts"
import type { Query } from "../Query.ts"
import type { JsonWords } from "./words.ts"

/** A delivery's rows, with as much of them as its invariants are about. */
interface Row {
  readonly id: string
  readonly endedAs: string | null
  readonly endedAt: number | null
  /** Null where it is not in the queue. */
  readonly queued: Queued | null
  /** Null where it is lost. */
  readonly document: string | null
  /** The numbers and outcomes of the attempts on record, in their order, and when one delivered it, as JSON. */
  readonly recorded: string
}

interface Queued {
  readonly state: Delivery["state"]
  readonly claimedAt: number | null
  readonly retry: number
  readonly attempts: number
  readonly held: string | null
  readonly dueKind: string
  readonly dueAt: number
  readonly leasedUntil: number
}

type Recorded = readonly [
  place: number,
  attempt: Attempt["attempt"],
  outcome: Attempt["outcome"],
  deliveredAt: Instant | null
]

type RowColumns = readonly [
  sequence: number,
  id: string,
  endedAs: string | null,
  endedAt: number | null,
  document: string | null,
  recorded: string,
  state: string | null,
  claimedAt: number | null,
  retry: number,
  attempts: number,
  held: string | null,
  dueKind: string,
  dueAt: number,
  leasedUntil: number
]

const rowOf = (columns: RowColumns): Row => {
  const [, id, endedAs, endedAt, document, recorded, stateText, claimedAt, ...more] = columns
  const [retry, attempts, held, dueKind, dueAt, leasedUntil] = more
  const state = stateText === null ? null : (JSON.parse(stateText) as Delivery["state"])
  const queued = state === null ? null : { state, claimedAt, retry, attempts, held, dueKind, dueAt, leasedUntil }
  return { id, endedAs, endedAt, queued, document, recorded }
}

/** As `Recorded` has it. */
const recordedColumns = (document: string) => [
  "place",
  `${document} -> 'attempt'`,
  `${document} -> 'outcome'`,
  "delivered_at"
]

const selectRows = ({ array, arrayOf, json }: JsonWords) => `
  SELECT d.sequence, d.id, d.ended_as, d.ended_at, o.document,
    (SELECT ${arrayOf(array(...recordedColumns(json("document"))), "place")}
      FROM delivery_attempts a WHERE a.sequence = d.sequence),
    q.state, q.claimed_at, q.retry, q.attempts, q.held, q.due_kind, q.due_at, q.leased_until
  FROM deliveries d LEFT JOIN delivery_documents o ON o.sequence = d.sequence
    LEFT JOIN delivery_queue q ON q.sequence = d.sequence
  WHERE d.sequence > ? ORDER BY d.sequence LIMIT ?`

/** So many at once are held in memory. */
const pageSize = 5_000

const selectLost = ({ json }: JsonWords) => `
  SELECT 'what delivery ' || (${json("o.document")} ->> 'id') || ' sends is there, and the delivery is not'
  FROM delivery_documents o WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.sequence = o.sequence)
  UNION ALL
  SELECT 'attempt ' || a.place || ' is of a delivery that is not there (' || a.sequence || ')'
  FROM delivery_attempts a WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.sequence = a.sequence)
  UNION ALL
  SELECT 'something is due of a delivery that is not there (' || q.sequence || ')'
  FROM delivery_queue q WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.sequence = q.sequence)`

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
  const fixed = JSON.parse(row.document) as FixedPart
  const recorded = JSON.parse(row.recorded) as ReadonlyArray<Recorded>
  const most = 1 + scheduleOf(fixed).length
  const { queued } = row
  const [, , , deliveredAt = null] = recorded.at(-1) ?? []
  const ended = endedState(row.endedAs, row.endedAt, deliveredAt)
  if (ended === undefined && queued === null) return ["it has not ended, and nothing of it is due"]
  if (ended !== undefined && queued !== null) return [`it is ${ended._tag}, and something of it is due`]
  const state = queued === null ? ended : stateIn(queued, fixed)
  if (state === undefined) return [`it was claimed as ${queued?.state._tag}`]
  return [
    ...(queued === null ? endFaults(row) : queuedFaults(state, queued, recorded.length)),
    ...recordFaults(recorded, most),
    ...deliveredFaults(state, recorded),
    ...stateFaults(state, recorded, most)
  ]
}

const endFaults = ({ endedAs, endedAt }: Row): ReadonlyArray<string> => {
  if (endedAs === null) return []
  return [
    ...(endedAs === "Delivered" || endedAs === "PermanentlyFailed" || endedAs === "Cancelled"
      ? []
      : [`it has ended as ${endedAs}`]),
    ...(endedAt === null ? ["it has ended, and nobody knows when"] : [])
  ]
}

/** It is its last attempt that has delivered it, and nothing else ended it. */
const deliveredFaults = (state: Delivery["state"], recorded: ReadonlyArray<Recorded>): ReadonlyArray<string> => {
  const by = recorded.filter(([, , , at]) => at !== null).map(([, attempt]) => attempt)
  const last = state._tag === "Delivered" ? recorded.at(-1)?.[1] : undefined
  return by
    .filter((attempt) => attempt !== last)
    .map((attempt) => `it is ${state._tag}, and attempt ${attempt} delivered it`)
}

/** Undefined where what was claimed could not be. */
const stateIn = ({ claimedAt, state }: Queued, fixed: FixedPart): Delivery["state"] | undefined =>
  claimedAt === null
    ? state
    : Result.getOrUndefined(
        decideDelivery(state, { _tag: "AttemptStarted", at: claimedAt as Instant }, scheduleOf(fixed))
      )

/** Each has something due that its state can meet; what is in hand has the end of its lease, or of its attempt. */
const queuedFaults = (state: Delivery["state"], queued: Queued, recorded: number): ReadonlyArray<string> => {
  const { attempts, dueAt, dueKind, held, leasedUntil, retry } = queued
  const faults: Array<string> = []
  const isWaiting = state._tag === "Scheduled" || state._tag === "Waiting"
  if (!isWaiting && state._tag !== "Attempting") faults.push(`it is ${state._tag}, and something of it is due`)
  if (isWaiting && (dueKind !== "attempt" || leasedUntil !== 0))
    faults.push(`it is ${state._tag}, and what is due is ${leasedUntil === 0 ? dueKind : "the end of a lease"}`)
  if (state._tag === "Attempting" && dueKind === "attempt" && leasedUntil === 0)
    faults.push("it is Attempting, and nobody has it in hand")
  if (isWaiting && dueAt !== state.dueAt) faults.push(`it is due at ${state.dueAt}, and its row says ${dueAt}`)
  if ((held !== null) !== (dueKind === "attempt_end")) {
    faults.push(held === null ? "its attempt ends, and no result is held" : "it holds a result, and no attempt ends")
  }
  if (isWaiting && retry !== (isFirst(state) ? 0 : 1)) faults.push(`it is ${state._tag}, in the other queue`)
  if (recorded !== attempts) faults.push(`it has ${recorded} attempts, and its row says ${attempts}`)
  return faults
}

/** Attempts are numbered from 1 and never twice. One is missing where it was lost before lost ones were on record. */
const recordFaults = (recorded: ReadonlyArray<Recorded>, most: number): ReadonlyArray<string> => {
  const faults: Array<string> = []
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
