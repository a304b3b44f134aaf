import type { AuditEntryFilter, AuditEntryRepository } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { AuditEntry } from "@tapedeck/domain/audit"
import { Effect } from "effect"
import type { Counters, Database } from "../database/Database.ts"
import { allOf, countOf, type DocumentRow, documentsIn, firstOf, partFrom } from "../database/documents.ts"

export const readEntry = documentsIn("audit_entries", AuditEntry)

export const makeAuditEntries = ({ dialect, read, sql, write }: Database, counters: Counters): AuditEntryRepository => {
  const key = sql.literal(dialect.shard.key)
  const conditions = ({ accountId, eventTypes, since, targetId, until, userId }: AuditEntryFilter) => [
    sql`account_id = ${accountId}`,
    ...(eventTypes === undefined ? [] : [sql`event_type IN ${sql.in(eventTypes)}`]),
    ...(userId === undefined ? [] : [sql`user_id = ${userId}`]),
    ...(targetId === undefined ? [] : [sql`target_id = ${targetId}`]),
    ...(since === undefined ? [] : [sql`at >= ${since}`]),
    ...(until === undefined ? [] : [sql`at < ${until}`])
  ]

  const count = (filter: AuditEntryFilter) => {
    const { accountId, eventTypes, ...others } = filter
    const isCounted = Object.values(others).every((value) => value === undefined)
    if (!isCounted)
      return countOf(sql`SELECT count(*) AS count FROM audit_entries WHERE ${sql.and(conditions(filter))}`)
    const counted = conditions(eventTypes === undefined ? { accountId } : { accountId, eventTypes })
    return countOf(sql`SELECT sum(entries) AS count FROM audit_entry_counts WHERE ${sql.and(counted)}`)
  }

  return {
    append: (entry) =>
      write(
        Effect.gen(function* () {
          yield* sql`
            INSERT INTO audit_entries (id, account_id, user_id, event_type, target_id, at, document) VALUES (
              ${entry.id}, ${entry.accountId}, ${entry.userId}, ${entry.eventType}, ${entry.metadata.targetId}, ${entry.at},
              ${JSON.stringify(entry)})`
          yield* sql`
            INSERT INTO audit_entry_counts (account_id, event_type, entries) VALUES (${entry.accountId}, ${entry.eventType}, 1)
            ON CONFLICT (account_id, event_type${key}) DO UPDATE SET entries = audit_entry_counts.entries + 1`
          yield* counters.from("audit_entry", entry.id)
        })
      ),
    byId: (id) => read(firstOf(readEntry, sql<DocumentRow>`SELECT id, document FROM audit_entries WHERE id = ${id}`)),
    newestUntil: (until) =>
      read(
        Effect.map(
          sql<{ readonly at: Instant }>`SELECT at FROM audit_entries WHERE at <= ${until} ORDER BY id DESC LIMIT 1`,
          ([row]) => row?.at
        )
      ),
    page: (filter, { limit, offset }) =>
      read(
        partFrom(
          count(filter),
          allOf(
            readEntry,
            sql<DocumentRow>`
            SELECT id, document FROM audit_entries WHERE id IN (
              SELECT id FROM audit_entries WHERE ${sql.and(conditions(filter))}
              ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}
            ) ORDER BY id DESC`
          )
        )
      )
  }
}
