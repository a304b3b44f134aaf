import { settings } from "@tapedeck/contract"
import { AuditTrail, type AuditTrailEntry } from "@tapedeck/core"
import { type Instant, parseIso, toIso, UserId } from "@tapedeck/domain"
import { classify } from "@tapedeck/domain/audit"
import { Effect } from "effect"
import { wirePagination } from "../responses.ts"
import { settingsEndpointsOf } from "./idempotency.ts"

const wireEntry = ({ entry, user }: AuditTrailEntry): settings.AuditEntry => {
  const { category, severity } = classify(entry.eventType)
  const { targetId, targetType, ...rest } = entry.metadata
  return {
    id: entry.id,
    event_type: entry.eventType,
    category,
    severity,
    status: entry.status,
    timestamp: toIso(entry.at),
    user: user === null ? null : { id: user.id, name: user.name, email: user.email },
    ip_address: entry.ipAddress,
    user_agent: entry.userAgent,
    metadata: { target_type: targetType, target_id: targetId, ...rest }
  }
}

/** The contract has checked that it is one. */
const instant = (text: string | undefined): Instant | undefined => (text === undefined ? undefined : parseIso(text))

/** The audit log, to read (A3 to A7). */
export const entries = settingsEndpointsOf(settings.Api.groups.audit_entries, {
  list: {
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const { list } = yield* AuditTrail
      const since = instant(query.since)
      const until = instant(query.until)
      const page = yield* list(caller, {
        page: query.page ?? 1,
        ...(query.category !== undefined && { category: query.category }),
        ...(query.event_type !== undefined && { eventType: query.event_type }),
        ...(query.severity !== undefined && { severity: query.severity }),
        ...(query.user !== undefined && { userId: UserId.make(query.user) }),
        ...(query.target_id !== undefined && { targetId: query.target_id }),
        ...(since !== undefined && { since }),
        ...(until !== undefined && { until })
      })
      return { pagination: wirePagination(page.pagination), audit_entries: page.items.map(wireEntry) }
    })
  },
  read: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { get } = yield* AuditTrail
      return wireEntry(yield* get(caller, params.id))
    })
  },
  chain: {
    answer: Effect.fnUntraced(function* ({ caller }) {
      const { chain } = yield* AuditTrail
      const { head, waiting } = yield* chain(caller)
      return { head: head && { number: head.seq, entry_id: head.entryId, link: head.link }, waiting }
    })
  }
})
