import { isFirst } from "@tapedeck/core"
import { type Attempt, Delivery, DeliveryState, type Instant } from "@tapedeck/domain"
import { decideDelivery, isFinalState } from "@tapedeck/domain/delivery"
import { Effect, Result, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { documentsIn } from "../database/documents.ts"
import { forEachEager } from "../database/forEachEager.ts"
import { inList, lookup, type Query } from "../database/statements.ts"
import type { AttemptTexts } from "./attempts.ts"

const { attempts: _, body: _1, state: _2, ...fixedFields } = Delivery.fields

/** The part of a delivery that never changes, without the body, which is a text of its own: it may be long. */
const FixedPart = Schema.Struct(fixedFields)
export type FixedPart = typeof FixedPart.Type

export const readFixedPart = documentsIn("delivery_documents", FixedPart)
export const readState = documentsIn("delivery_queue", DeliveryState)

/** A delivery's columns. Those of the queue are null if it has ended. */
type QueuedColumns = readonly [
  sequence: number,
  document: string,
  body: string,
  state: string | null,
  claimedAt: Instant | null,
  attempts: number | null
]

/** A row that begins with a queued delivery's columns. */
export type QueuedRow = readonly [...QueuedColumns, ...more: ReadonlyArray<unknown>]

export const withDocuments = `JOIN delivery_documents o ON ${lookup("o.sequence", "d.sequence")}`
export const withQueue = `JOIN delivery_queue q ON ${lookup("q.sequence", "d.sequence")}`

export const queuedColumns = "q.sequence, o.document, o.body, q.state, q.claimed_at, q.attempts"
export const queuedTables = `delivery_queue q JOIN delivery_documents o ON ${lookup("o.sequence", "q.sequence")}`

/** Version of a queued delivery's row at its read. An outcome is recorded only if the row is still the same. */
export interface RowVersion {
  readonly sequence: number
  readonly fence: number
  readonly stateText: string
}

export interface QueuedDelivery extends RowVersion {
  readonly delivery: Delivery
}

/** The queue's columns that depend on the state. */
export type QueuedState = readonly [retry: number, stateText: string, attempts: number]

/** The queue's columns that say when the delivery is due. */
export type DuePlace = readonly [kind: string, at: number, order: number]

export type AttemptRow = readonly [sequence: number, place: number, document: string, deliveredAt: number | null]

/** Retries are 1, first attempts 0, so that queues are in the order of `QueueKey`. */
export const queuedState = ({ attempts, state }: Delivery): QueuedState => [
  isFirst(state) ? 0 : 1,
  JSON.stringify(state),
  attempts.length
]

/** Queues a delivery again, unclaimed. Parameters: `QueuedState`, `DuePlace`. */
export const requeue = `
  UPDATE delivery_queue SET retry = ?, state = ?, attempts = ?, due_kind = ?, due_at = ?, due_order = ?,
    claimed_at = NULL, held = NULL, leased_until = 0`

export type EndRow = readonly [endedAs: string | null, endedAt: number | null, deliveredAt: number | null]
export type DeliveryRow = readonly [...QueuedColumns, ...EndRow]

/** The columns of an `EndRow`. */
export const endColumns = `d.ended_as, d.ended_at,
  (SELECT max(a.delivered_at) FROM delivery_attempts a WHERE a.sequence = d.sequence)`
/** The state of a queued delivery. A claim writes only its instant: the row keeps the state before the attempt. */
export const queuedDeliveryState = (sequence: number, stateText: string, claimedAt: Instant | null): DeliveryState => {
  const before = readState(sequence, stateText)
  if (claimedAt === null) return before
  // The start of an attempt does not depend on the schedule.
  return Result.getOrThrow(decideDelivery(before, { _tag: "AttemptStarted", at: claimedAt }, []))
}

/** The columns `ended_as` and `ended_at` of a state; nulls if it is not final. */
export const endOf = (state: Delivery["state"]) =>
  isFinalState(state) && "at" in state ? ([state._tag, state.at] as const) : ([null, null] as const)

/** The final state; undefined if the delivery has not ended. The columns are not checked here, but by an inspection (`inspect/`). */
export const endedState = (...[endedAs, endedAt, deliveredAt]: EndRow): Delivery["state"] | undefined => {
  if (endedAs !== null) return { _tag: endedAs, at: endedAt } as Delivery["state"]
  return deliveredAt === null ? undefined : ({ _tag: "Delivered", at: deliveredAt } as Delivery["state"])
}

const noAttempts: Delivery["attempts"] = []

export type DeliveryRows = ReturnType<typeof makeDeliveryRows>

/** Deliveries as their rows contain them. */
export const makeDeliveryRows = (query: Query, texts: AttemptTexts) => {
  const attemptsOf = (sequence: number): Effect.Effect<Delivery["attempts"], SqlError> =>
    Effect.flatMap(
      query<[string]>("SELECT document FROM delivery_attempts WHERE sequence = ? ORDER BY place", sequence),
      (found) => forEachEager(found, ([text]) => texts.read(sequence, text))
    )

  const withoutAttempts = ([sequence, document, body, stateText, claimedAt]: QueuedRow): Delivery => {
    const fixed = readFixedPart(sequence, document)
    return { ...fixed, body, state: queuedDeliveryState(sequence, stateText!, claimedAt), attempts: noAttempts }
  }

  const queuedOf = (row: QueuedRow): Effect.Effect<Delivery, SqlError> => {
    const delivery = withoutAttempts(row)
    const [sequence, , , , , count] = row
    return count === 0
      ? Effect.succeed(delivery)
      : Effect.map(attemptsOf(sequence), (attempts) => ({ ...delivery, attempts }))
  }

  /** Reads the attempts by sequence. Most deliveries have none. */
  const attemptsOfAll = Effect.fnUntraced(function* (
    all: ReadonlyArray<QueuedRow>
  ): Effect.fn.Return<ReadonlyMap<number, Delivery["attempts"]>, SqlError> {
    const attempts = new Map<number, Array<Attempt>>()
    const attempted: Array<number> = []
    for (const [sequence, , , , , count] of all) if (count !== 0) attempted.push(sequence)
    if (attempted.length === 0) return attempts
    const { marks, values } = inList(attempted)
    const select = `SELECT sequence, document FROM delivery_attempts WHERE sequence IN ${marks} ORDER BY sequence, place`
    for (const [sequence, text] of yield* query<[number, string]>(select, ...values)) {
      const attempt = yield* texts.read(sequence, text)
      const before = attempts.get(sequence)
      if (before === undefined) attempts.set(sequence, [attempt])
      else before.push(attempt)
    }
    return attempts
  })

  /** Reads the deliveries in the order of the rows. */
  const queued = Effect.fnUntraced(function* (
    all: ReadonlyArray<QueuedRow>
  ): Effect.fn.Return<ReadonlyArray<Delivery>, SqlError> {
    const attempts = yield* attemptsOfAll(all)
    const deliveries: Array<Delivery> = []
    for (const row of all) {
      const delivery = withoutAttempts(row)
      const its = attempts.get(row[0])
      deliveries.push(its === undefined ? delivery : { ...delivery, attempts: its })
    }
    return deliveries
  })

  /** Returns the deliveries of rows, queued or ended, in their order. */
  const deliveriesOf = Effect.fnUntraced(function* (
    rows: ReadonlyArray<DeliveryRow>
  ): Effect.fn.Return<ReadonlyArray<Delivery>, SqlError> {
    const attempts = yield* attemptsOfAll(rows)
    return rows.map(([sequence, document, body, stateText, claimedAt, , ...end]) => {
      const state = stateText === null ? endedState(...end) : queuedDeliveryState(sequence, stateText, claimedAt)
      if (state === undefined) throw new Error(`delivery number ${sequence} has not ended, and is not in the queue`)
      return { ...readFixedPart(sequence, document), body, state, attempts: attempts.get(sequence) ?? noAttempts }
    })
  })

  /** Undefined if the delivery has ended. */
  const queuedById = Effect.fnUntraced(function* (id: string): Effect.fn.Return<QueuedDelivery | undefined, SqlError> {
    const [row] = yield* query<readonly [...QueuedColumns, fence: number]>(
      `SELECT ${queuedColumns}, q.fence FROM deliveries d ${withDocuments} ${withQueue} WHERE d.id = ?`,
      id
    )
    if (row === undefined) return undefined
    const [sequence, , , stateText, , , fence] = row
    return { sequence, fence, stateText: stateText!, delivery: yield* queuedOf(row) }
  })

  return { queued, queuedById, deliveriesOf }
}
