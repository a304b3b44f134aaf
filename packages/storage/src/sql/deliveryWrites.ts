import type { Delivery } from "@tapedeck/domain"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "./Database.ts"

/** What a claim writes of a delivery: its new state, and the place on the agenda where its lease ends. */
export type TakenRow = readonly [
  state: string,
  stateText: string,
  fence: number,
  leaseEnd: number,
  order: number,
  sequence: number
]

/** Its next place on the agenda, or nothing more. */
export type DuePlace = readonly [kind: string | null, at: number | null, order: number | null]

/** What becomes of a claimed delivery, if nothing has become of it yet: its fence and its state are still those. */
export type SettledRow = readonly [
  retry: number,
  state: string,
  stateText: string,
  attempts: number,
  ...due: DuePlace,
  sequence: number,
  fence: number,
  stateTextBefore: string
]

/** Whether it waits behind first attempts: 0 or 1, so that lanes come in `Lane`'s order. */
const retryOf = (state: Delivery["state"]): number => (state._tag === "Scheduled" ? 0 : 1)

/** What a state has in the row besides its place: retry, state, state_document, attempts. */
export const stateColumns = ({ attempts, state }: Delivery) =>
  [retryOf(state), state._tag, JSON.stringify(state), attempts.length] as const

/** A line of the log. */
export type AttemptRow = readonly [sequence: number, place: number, document: string]

/** The writes that every delivery takes part in, each for many deliveries at once. Inside a transaction. */
export interface DeliveryWrites {
  readonly take: (rows: ReadonlyArray<TakenRow>) => Effect.Effect<void, SqlError>
  /** Which of them were settled. Of those, and of no others, their lines are in the log: they come in the rows' order. */
  readonly settle: (
    rows: ReadonlyArray<SettledRow>,
    lines: ReadonlyArray<ReadonlyArray<AttemptRow>>
  ) => Effect.Effect<ReadonlyArray<boolean>, SqlError>
  readonly log: (rows: ReadonlyArray<AttemptRow>) => Effect.Effect<void, SqlError>
}

const takeRow = `
  UPDATE deliveries SET retry = 1, state = ?, state_document = ?, fence = ?, due_kind = 'lease', due_at = ?, due_order = ?
  WHERE sequence = ?`

/** The fence says whose claim it is; a state that is another by now was called off meanwhile, or has come to its end. */
const settleRow = `
  UPDATE deliveries SET retry = ?, state = ?, state_document = ?, attempts = ?, held = NULL,
    due_kind = ?, due_at = ?, due_order = ?
  WHERE sequence = ? AND fence = ? AND state_document = ?`

const logRow = "INSERT INTO delivery_attempts (sequence, place, document) VALUES (?, ?, ?)"

export const makeDeliveryWrites = ({ changeEach }: Database): DeliveryWrites => {
  const log = (rows: ReadonlyArray<AttemptRow>) => Effect.asVoid(changeEach(logRow, rows))
  return {
    take: (rows) => Effect.asVoid(changeEach(takeRow, rows)),
    settle: Effect.fnUntraced(function* (rows, lines) {
      const isSettled = (yield* changeEach(settleRow, rows)).map((changed) => changed > 0)
      yield* log(lines.filter((_, index) => isSettled[index]).flat())
      return isSettled
    }),
    log
  }
}
