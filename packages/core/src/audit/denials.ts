import type { AccountId, Instant, UserId } from "@tapedeck/domain"
import { Effect } from "effect"
import { now } from "../now.ts"
import type { Store } from "../Store.ts"

/** An operation and a caller. Denials are counted by both (A8). */
export interface Denied {
  readonly accountId: AccountId
  readonly userId: UserId
  readonly operation: string
}

/** `access.denied` is written at most once in this time for the same caller and operation (A8). */
const ENTRY_EVERY_MS = 3_600_000

/** How long the number of denials that were left out is kept for the next entry. */
const KEPT_MS = 366 * 24 * ENTRY_EVERY_MS

/** The last instant that can be represented. */
const LAST = 253_402_300_799_999

/**
 * Counts a denial. Gives the number of denials that were left out since the last entry, where an entry is due; null where this
 * denial is left out too. The counts are in the store, so nodes share them: there is at most one for each user and operation. An
 * entry in the future, which a clock that jumped left, holds back nothing. Belongs inside the transaction of the entry.
 */
export const countDenial = Effect.fnUntraced(function* (
  { tryWindows }: Pick<Store["Service"], "tryWindows">,
  { accountId, operation, userId }: Denied
) {
  const key = `denied ${accountId} ${userId} ${operation}`
  const at = yield* now
  const open = yield* tryWindows.byKey(key)
  const sinceEntryMs = open === undefined ? null : at - (open.endsAt - KEPT_MS)
  if (open !== undefined && sinceEntryMs !== null && sinceEntryMs >= 0 && sinceEntryMs < ENTRY_EVERY_MS) {
    yield* tryWindows.save({ ...open, tries: open.tries + 1 })
    return null
  }
  yield* tryWindows.save({ key, tries: 0, endsAt: Math.min(at + KEPT_MS, LAST) as Instant })
  return open?.tries ?? 0
})
