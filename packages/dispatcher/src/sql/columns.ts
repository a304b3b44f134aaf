import type { Instant, Receiver } from "@tapedeck/domain"
import {
  type AnyDelivery,
  type AttemptResult,
  type Claim,
  decideDelivery,
  isFinalState,
  nextAttemptAt
} from "@tapedeck/domain/delivery"
import { Result } from "effect"

/** A delivery in a table. */
export interface SqlDelivery extends AnyDelivery {
  /** Whose it is: each account has a fair share of the worker. */
  readonly accountId: number
  /** The receiver's id. */
  readonly receiver: string
}

/** A row as it is read. Clients differ in whether an integer is a number or a text. */
export interface Row {
  readonly id: string
  readonly account_id: number | string
  readonly receiver: string
  readonly body: string
  /** As JSON: what an attempt changes, and the schedule. */
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

/** Whether a worker has it, or holds the result of its attempt. */
const isClaimed = ({ held, leased_until }: Row): boolean => Number(leased_until) > 0 || held !== null

/** The delivery of a row. What a claim adds to the state is in columns, so that a claim writes no document. */
export const deliveryOf = (row: Row): SqlDelivery => {
  const { account_id, body, document, id, receiver } = row
  const { attempts, schedule, state } = JSON.parse(document) as Stored
  return { id, accountId: Number(account_id), receiver, body, schedule, attempts, state: stateOf(row, state, schedule) }
}

const stateOf = (row: Row, state: SqlDelivery["state"], schedule: SqlDelivery["schedule"]): SqlDelivery["state"] => {
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

/** The columns that an attempt changes. `due_at` is null once the delivery has ended. */
export const changedColumns = ({ attempts, schedule, state }: Stored) => ({
  document: JSON.stringify({ schedule, state, attempts } satisfies Stored),
  due_at: nextAttemptAt(state),
  is_retry: state._tag === "Waiting" ? 1 : 0
})
