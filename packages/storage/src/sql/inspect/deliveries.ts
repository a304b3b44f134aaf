import { isFirst } from "@tapedeck/core"
import { Attempt, type Delivery, Instant } from "@tapedeck/domain"
import { decideDelivery } from "@tapedeck/domain/delivery"
import { Effect, Result, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { JsonFunctions } from "../database/dialect.ts"
import { attemptRead, documentsIn } from "../database/documents.ts"
import { RowUnreadable } from "../database/errors.ts"
import type { Query } from "../database/statements.ts"
import { endedState, type FixedPart, readFixedPart, readState } from "../deliveries/rows.ts"

/** The parts of a delivery's rows that its invariants involve. */
interface Row {
  readonly sequence: number
  readonly id: string
  readonly endedAs: string | null
  readonly endedAt: number | null
  /** Null if it is not in the queue. */
  readonly queued: Queued | null
  /** Null if it is missing. */
  readonly document: string | null
  /** Attempts of the delivery in order (`Recorded`), as JSON. */
  readonly recorded: string
}

interface Queued {
  readonly state: Delivery["state"]
  readonly claimedAt: Instant | null
  readonly retry: number
  readonly attempts: number
  readonly held: string | null
  readonly dueKind: string
  readonly dueAt: number
  readonly leasedUntil: number
}

const { attempt, outcome } = Attempt.fields
const Recorded = Schema.Tuple([Schema.Natural, attempt, outcome, Schema.NullOr(Instant)])
type Recorded = typeof Recorded.Type

const readRecorded = documentsIn("delivery_attempts", Schema.Array(Recorded))

type RowColumns = readonly [
  sequence: number,
  id: string,
  endedAs: string | null,
  endedAt: number | null,
  document: string | null,
  recorded: string,
  state: string | null,
  claimedAt: Instant | null,
  retry: number,
  attempts: number,
  held: string | null,
  dueKind: string,
  dueAt: number,
  leasedUntil: number
]

const rowOf = (columns: RowColumns): Row => {
  const [sequence, id, endedAs, endedAt, document, recorded, stateText, claimedAt, ...more] = columns
  const [retry, attempts, held, dueKind, dueAt, leasedUntil] = more
  const state = stateText === null ? null : readState(sequence, stateText)
  const queued = state === null ? null : { state, claimedAt, retry, attempts, held, dueKind, dueAt, leasedUntil }
  return { sequence, id, endedAs, endedAt, queued, document, recorded }
}

/** The columns of `Recorded`. */
const recordedColumns = (document: string) => [
  "place",
  `${document} -> 'attempt'`,
  `${document} -> 'outcome'`,
  "delivered_at"
]

const selectRows = ({ array, arrayOf, parse }: JsonFunctions) => `
  SELECT d.sequence, d.id, d.ended_as, d.ended_at, o.document,
    (SELECT ${arrayOf(array(...recordedColumns(parse("document"))), "place")}
      FROM delivery_attempts a WHERE a.sequence = d.sequence),
    q.state, q.claimed_at, q.retry, q.attempts, q.held, q.due_kind, q.due_at, q.leased_until
  FROM deliveries d LEFT JOIN delivery_documents o ON o.sequence = d.sequence
    LEFT JOIN delivery_queue q ON q.sequence = d.sequence
  WHERE d.sequence > ? ORDER BY d.sequence LIMIT ?`

/** Maximum number of deliveries in memory. */
const pageSize = 5_000

const selectLost = ({ parse }: JsonFunctions) => `
  SELECT 'the body of delivery ' || (${parse("o.document")} ->> 'id') || ' exists without the delivery'
  FROM delivery_documents o WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.sequence = o.sequence)
  UNION ALL
  SELECT 'attempt ' || a.place || ' has no delivery (number ' || a.sequence || ')'
  FROM delivery_attempts a WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.sequence = a.sequence)
  UNION ALL
  SELECT 'a row of the queue has no delivery (number ' || q.sequence || ')'
  FROM delivery_queue q WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.sequence = q.sequence)`

export interface InspectedDeliveries {
  readonly count: number
  /** A line each, which names the delivery. */
  readonly faults: ReadonlyArray<string>
}

/** Checks the invariants of all deliveries, and counts them. The database must not change meanwhile. */
export const inspectDeliveries = Effect.fnUntraced(function* (
  query: Query,
  json: JsonFunctions
): Effect.fn.Return<InspectedDeliveries, SqlError> {
  const faults = (yield* query<[string]>(selectLost(json))).map(([text]) => text)
  let count = 0
  for (let after = 0; ; ) {
    const page = yield* query<RowColumns>(selectRows(json), after, pageSize)
    for (const columns of page) {
      const [sequence, id] = columns
      for (const fault of faultsIn(columns)) faults.push(`delivery ${id}: ${fault}`)
      after = sequence
    }
    count += page.length
    if (page.length < pageSize) return { count, faults }
  }
})

const faultsIn = (columns: RowColumns): ReadonlyArray<string> => {
  const faults = attemptRead(() => faultsOf(rowOf(columns)))
  return faults instanceof RowUnreadable ? [faults.message] : faults
}

const faultsOf = (row: Row): ReadonlyArray<string> => {
  if (row.document === null) return ["its body is missing"]
  const fixed = readFixedPart(row.sequence, row.document)
  const recorded = readRecorded(row.sequence, row.recorded)
  const max = 1 + fixed.schedule.length
  const { queued } = row
  const [, , , deliveredAt = null] = recorded.at(-1) ?? []
  const ended = endedState(row.endedAs, row.endedAt, deliveredAt)
  if (ended === undefined && queued === null) return ["it has not ended, and is not in the queue"]
  if (ended !== undefined && queued !== null) return [`it is ${ended._tag}, and is still in the queue`]
  const state = queued === null ? ended : stateIn(queued, fixed)
  if (state === undefined) return [`it was claimed in the state ${queued?.state._tag}`]
  return [
    ...(queued === null ? endFaults(row) : queuedFaults(state, queued, recorded.length)),
    ...recordFaults(recorded, max),
    ...deliveredFaults(state, recorded),
    ...stateFaults(state, recorded, max)
  ]
}

const endFaults = ({ endedAs, endedAt }: Row): ReadonlyArray<string> => {
  if (endedAs === null) return []
  return [
    ...(endedAs === "Delivered" || endedAs === "PermanentlyFailed" || endedAs === "Cancelled" || endedAs === "Skipped"
      ? []
      : [`it has ended as ${endedAs}`]),
    ...(endedAt === null ? ["it has ended, and has no time of its end"] : [])
  ]
}

/** Only the last attempt may have delivered it, and only if nothing else ended it. */
const deliveredFaults = (state: Delivery["state"], recorded: ReadonlyArray<Recorded>): ReadonlyArray<string> => {
  const by = recorded.filter(([, , , at]) => at !== null).map(([, attempt]) => attempt)
  const last = state._tag === "Delivered" ? recorded.at(-1)?.[1] : undefined
  return by
    .filter((attempt) => attempt !== last)
    .map((attempt) => `it is ${state._tag}, and attempt ${attempt} delivered it`)
}

/** Undefined if the state cannot be claimed. */
const stateIn = ({ claimedAt, state }: Queued, fixed: FixedPart): Delivery["state"] | undefined =>
  claimedAt === null
    ? state
    : Result.getOrUndefined(decideDelivery(state, { _tag: "AttemptStarted", at: claimedAt }, fixed.schedule))

/** The queue's row has to match the state: a delivery in flight has a lease, or the end of its held attempt. */
const queuedFaults = (state: Delivery["state"], queued: Queued, recorded: number): ReadonlyArray<string> => {
  const { attempts, dueAt, dueKind, held, leasedUntil, retry } = queued
  const faults: Array<string> = []
  const isWaiting = state._tag === "Scheduled" || state._tag === "Waiting"
  if (!isWaiting && state._tag !== "Attempting") faults.push(`it is ${state._tag}, and is still in the queue`)
  if (isWaiting && (dueKind !== "attempt" || leasedUntil !== 0))
    faults.push(`it is ${state._tag}, and what is due is ${leasedUntil === 0 ? dueKind : "the end of a lease"}`)
  if (state._tag === "Attempting" && dueKind === "attempt" && leasedUntil === 0)
    faults.push("it is Attempting, and has no lease")
  if (isWaiting && dueAt !== state.dueAt) faults.push(`it is due at ${state.dueAt}, and its row says ${dueAt}`)
  if ((held !== null) !== (dueKind === "attempt_end")) {
    faults.push(
      held === null
        ? "the end of its attempt is due, and no result is held"
        : "a result is held, and the end of its attempt is not due"
    )
  }
  if (isWaiting && retry !== (isFirst(state) ? 0 : 1))
    faults.push(`it is ${state._tag}, in the queue of the other kind of attempt`)
  if (recorded !== attempts) faults.push(`it has ${recorded} attempts, and its row says ${attempts}`)
  return faults
}

/** Attempts are numbered from 1, each number at most once. */
const recordFaults = (recorded: ReadonlyArray<Recorded>, max: number): ReadonlyArray<string> => {
  const faults: Array<string> = []
  let before = 0
  for (const [index, [place, attempt]] of recorded.entries()) {
    if (place !== index) faults.push(`the attempt at place ${index} is missing`)
    if (attempt <= before) faults.push(`attempt ${attempt} comes after attempt ${before}`)
    if (attempt > max) faults.push(`attempt ${attempt} is beyond its maximum of ${max}`)
    before = attempt
  }
  return faults
}

const stateFaults = (
  state: Delivery["state"],
  recorded: ReadonlyArray<Recorded>,
  max: number
): ReadonlyArray<string> => {
  const [, last = 0, outcome] = recorded.at(-1) ?? []
  const successes = recorded.filter(([, , one]) => one === "success").length
  const faults: Array<string> = []
  if (state._tag === "Delivered" && outcome !== "success")
    faults.push("it is Delivered, and its last attempt did not succeed")
  if (successes > (state._tag === "Delivered" ? 1 : 0)) faults.push(`it is ${state._tag}, after ${successes} successes`)
  if (state._tag === "Scheduled" && last > 0) faults.push("it waits for its first attempt, and has had one")
  if (state._tag === "Waiting" && (state.retry >= max || state.retry < last)) {
    faults.push(`it waits for retry ${state.retry} of ${max - 1}, after attempt ${last}`)
  }
  if (state._tag === "Attempting" && (state.attempt > max || state.attempt <= last)) {
    faults.push(`attempt ${state.attempt} of ${max} is in flight, after attempt ${last}`)
  }
  return faults
}
