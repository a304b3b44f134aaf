import type { AccountId, Instant, UserId } from "@tapedeck/domain"
import { Effect } from "effect"
import { now } from "../now.ts"
import type { Store } from "../store/Store.ts"

/** An operation and a caller. Denials are counted by both (A8). */
export interface Denied {
  readonly accountId: AccountId
  readonly userId: UserId
  readonly operation: string
}

/** `access.denied` is written at most once in this time for the same caller and operation (A8). */
const ENTRY_EVERY_MS = 3_600_000

/** Time for which the number of omitted denials is kept for the next entry. */
const KEPT_MS = 366 * 24 * ENTRY_EVERY_MS

/** The last instant that can be represented. */
const LAST = 253_402_300_799_999

/**
 * Counts a denial. Returns the number of denials that were left out since the last entry if an entry is due, else null: this one
 * is left out too. The counts are in the store, so nodes share them: there is at most one for each user and operation. An entry in
 * the future, which a clock that jumped left, holds back nothing. Not inside a transaction, with which concurrent denials would
 * conflict; if the process ends before the entry is committed, the next entry is due an hour later.
 */
export const countDenial = Effect.fnUntraced(function* (
  { tryWindows }: Pick<Store, "tryWindows">,
  { accountId, operation, userId }: Denied
) {
  const key = `denied ${accountId} ${userId} ${operation}`
  const at = yield* now
  const endsAt = Math.min(at + KEPT_MS, LAST) as Instant
  const window = yield* tryWindows.count({ key, tries: 1, endsAt }, at)
  if (window.tries === 1) return 0
  if (at - (window.endsAt - KEPT_MS) < ENTRY_EVERY_MS) return null
  // If concurrent denials find an entry due, one of them extends the window.
  const leftOut = window.tries - 2
  return (yield* tryWindows.extend(window, endsAt, leftOut + 1)) ? leftOut : null
})
