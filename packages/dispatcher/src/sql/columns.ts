import type { Instant, Receiver } from "@tapedeck/domain"
import {
  type AnyDelivery,
  type AttemptResult,
  type Claim,
  decideDelivery,
  deliveryStateName,
  isFinalState,
  nextAttemptAt
} from "@tapedeck/domain/delivery"
import { Result } from "effect"

/** A delivery in a table. */
export interface SqlDelivery extends AnyDelivery {
  /** Account of the delivery. Each account gets a fair share of the worker. */
  readonly accountId: number
  /** Id of the receiver. */
  readonly receiver: string
}

/** A delivery in a list: without the body, which may be large. */
export type ListedSqlDelivery = Omit<SqlDelivery, "body">

/** A row of the table. Integers are numbers or texts, depending on the client. */
export interface Row {
  readonly id: string
  readonly account_id: number | string
  readonly receiver: string
  readonly body: string
  /** JSON of the fields that an attempt changes, and of the schedule. */
  readonly document: string
  readonly due_at: number | string | null
  readonly due_order: number | string
  readonly claimed_at: number | string | null
  readonly leased_until: number | string
  readonly was_leased: number | string
  readonly fence: number | string
  readonly held: string | null
  readonly is_cancelled: number | string
}

type Stored = Pick<SqlDelivery, "schedule" | "state" | "attempts">

/** Returns whether a worker has claimed the delivery, or the result of its attempt is held. */
const isClaimed = ({ held, leased_until }: Pick<Row, "held" | "leased_until">): boolean =>
  Number(leased_until) > 0 || held !== null

/** Returns the delivery of a row. A claim changes columns only, so that it writes no document. */
export const deliveryOf = (row: Row): SqlDelivery => ({ ...withoutBody(row), body: row.body })

/** Returns the delivery of a row without its body. */
export const withoutBody = (row: Omit<Row, "body">): ListedSqlDelivery => {
  const { account_id, document, id, receiver } = row
  const { attempts, schedule, state } = JSON.parse(document) as Stored
  return { id, accountId: Number(account_id), receiver, schedule, attempts, state: stateOf(row, state, schedule) }
}

const stateOf = (
  row: Omit<Row, "body">,
  state: SqlDelivery["state"],
  schedule: SqlDelivery["schedule"]
): SqlDelivery["state"] => {
  if (isFinalState(state) || !isClaimed(row)) return state
  const at = Number(row.claimed_at) as Instant
  const attempting = Result.getOrThrow(decideDelivery(state, { _tag: "AttemptStarted", at }, schedule))
  if (Number(row.is_cancelled) === 0) return attempting
  return Result.getOrThrow(decideDelivery(attempting, { _tag: "CancelRequested", at }, schedule))
}

export const claimOf = (row: Row, receiver: Receiver | null): Claim<SqlDelivery> => {
  const claimed = { delivery: deliveryOf(row), fence: Number(row.fence) }
  if (row.held !== null) {
    return { ...claimed, reason: "answered", result: JSON.parse(row.held) as AttemptResult, receiver: null }
  }
  if (Number(row.was_leased) > 0) return { ...claimed, reason: "lost", result: null, receiver: null }
  return { ...claimed, reason: "due", result: null, receiver }
}

/** Returns the columns that an attempt changes. `due_at` is null when the delivery has ended, and `final_state` until then. */
export const changedColumns = ({ attempts, schedule, state }: Stored) => ({
  final_state: isFinalState(state) ? deliveryStateName(state) : null,
  document: JSON.stringify({ schedule, state, attempts } satisfies Stored),
  due_at: nextAttemptAt(state),
  is_retry: state._tag === "Waiting" ? 1 : 0
})
