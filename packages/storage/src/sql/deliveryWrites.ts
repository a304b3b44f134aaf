import { isFirst } from "@tapedeck/core"
import type { Delivery } from "@tapedeck/domain"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Statements } from "./Statements.ts"

/** Its next place in the queue. */
export type DuePlace = readonly [kind: string, at: number, order: number]

/** What a delivery that has not ended has in the queue besides its place: retry, state, attempts. */
export type QueuedState = readonly [retry: number, stateText: string, attempts: number]

/** Whether it waits behind first attempts: 0 or 1, so that queues come in the order of `QueueKey`. */
const retryOf = (state: Delivery["state"]): number => (isFirst(state) ? 0 : 1)

export const queuedState = ({ attempts, state }: Delivery): QueuedState => [
  retryOf(state),
  JSON.stringify(state),
  attempts.length
]

/** Its row in the queue as its claim found it: whether it is still so says whether the claim is still whose it was. */
export interface TakenRow {
  readonly sequence: number
  readonly fence: number
  readonly stateText: string
}

/** A line of the log: an attempt, and when the delivery was delivered by it. */
export type AttemptRow = readonly [sequence: number, place: number, document: string, deliveredAt: number | null]

/** What becomes of a claimed delivery, if nothing has become of it yet. */
export interface SettledRow {
  readonly taken: TakenRow
  /** It has ended, and `deliveries` has to say how, if the line does not; or it goes back into the queue. */
  readonly becomes:
    | { readonly ended: readonly [as: string | null, at: number | null] }
    | { readonly queued: QueuedState; readonly due: DuePlace }
  /** What the log gets of it: an attempt, or nothing. */
  readonly line: readonly [place: number, document: string, deliveredAt: number | null] | undefined
}

/** The writes that every delivery takes part in, each for many deliveries at once. Inside a transaction. */
export interface DeliveryWrites {
  /** Which of them were settled. Of those, and of no others, their lines are in the log. */
  readonly settle: (rows: ReadonlyArray<SettledRow>) => Effect.Effect<ReadonlyArray<boolean>, SqlError>
  readonly log: (rows: ReadonlyArray<AttemptRow>) => Effect.Effect<void, SqlError>
}

/** The fence says whose claim it is; a state that is another by now was called off meanwhile, or has come to its end. */
const asTaken = "sequence = ? AND fence = ? AND state = ?"
const leaveQueue = `DELETE FROM delivery_queue WHERE ${asTaken}`
const endRow = "UPDATE deliveries SET ended_as = ?, ended_at = ? WHERE sequence = ?"
/** Back into the queue, in nobody's hands: `QueuedState` and `DuePlace`. */
export const queueAgain = `
  UPDATE delivery_queue SET retry = ?, state = ?, attempts = ?, due_kind = ?, due_at = ?, due_order = ?,
    claimed_at = NULL, held = NULL, leased_until = 0`
const logRow = "INSERT INTO delivery_attempts (sequence, place, document, delivered_at) VALUES (?, ?, ?, ?)"

export const makeDeliveryWrites = ({ changeEach }: Statements): DeliveryWrites => {
  const log = (rows: ReadonlyArray<AttemptRow>) => Effect.asVoid(changeEach(logRow, rows))

  return {
    settle: Effect.fnUntraced(function* (rows) {
      const ended = rows.filter(({ becomes }) => "ended" in becomes)
      const queued = rows.filter(({ becomes }) => "queued" in becomes)
      const left = yield* changeEach(
        leaveQueue,
        ended.map(({ taken }) => [taken.sequence, taken.fence, taken.stateText])
      )
      const again = yield* changeEach(
        `${queueAgain} WHERE ${asTaken}`,
        queued.map(({ becomes, taken: { fence, sequence, stateText } }) =>
          "queued" in becomes ? [...becomes.queued, ...becomes.due, sequence, fence, stateText] : []
        )
      )
      const settled = new Set([...ended.filter((_, at) => left[at]! > 0), ...queued.filter((_, at) => again[at]! > 0)])
      yield* changeEach(
        endRow,
        ended.flatMap((row) =>
          settled.has(row) && "ended" in row.becomes && row.becomes.ended[0] !== null
            ? [[...row.becomes.ended, row.taken.sequence]]
            : []
        )
      )
      yield* log(
        rows.flatMap((row) => (settled.has(row) && row.line ? [[row.taken.sequence, ...row.line] as const] : []))
      )
      return rows.map((row) => settled.has(row))
    }),
    log
  }
}
