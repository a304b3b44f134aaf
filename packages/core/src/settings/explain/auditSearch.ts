import type { AccountId, AuditEntry, AuditEventType, Instant } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Store } from "../../Store.ts"

/** A query of an account's audit log. */
export interface EntryQuery {
  readonly accountId: AccountId
  readonly eventTypes: ReadonlyArray<AuditEventType>
  readonly targetId: string
  /** Not before this instant. */
  readonly since: Instant
}

const pageSize = 500
/** There is no index by target, and the number of entries has no limit. */
const maxSearched = 10_000

/** The entries found, newest first. `whole` is false if there were too many to search all. */
export interface Found {
  readonly entries: ReadonlyArray<AuditEntry>
  readonly whole: boolean
}

/** Returns the audit entries about a target, up to `limit`. Refused operations are not included. */
export const findEntries = Effect.fnUntraced(function* (
  { auditEntries }: Pick<Store, "auditEntries">,
  { accountId, eventTypes, since, targetId }: EntryQuery,
  limit = Number.POSITIVE_INFINITY
) {
  const entries: Array<AuditEntry> = []
  for (let offset = 0; offset < maxSearched; offset += pageSize) {
    const { items } = yield* auditEntries.page({ accountId, eventTypes, since }, { offset, limit: pageSize })
    for (const entry of items) {
      if (entry.metadata.targetId !== targetId || entry.status !== "success") continue
      entries.push(entry)
      if (entries.length === limit) return { entries, whole: true } as Found
    }
    if (items.length < pageSize) return { entries, whole: true } as Found
  }
  return { entries, whole: false } as Found
})

/** Returns a setting before known changes, the newest of them first; `present` if none of them changed it. */
export const before = <Value>(changes: ReadonlyArray<AuditEntry>, field: string, present: Value): Value =>
  changes.reduce((value, { metadata }) => {
    const change = metadata.changes[field]
    return change === undefined ? value : (change.from as Value)
  }, present)
