import type { AuditSealRepository } from "@tapedeck/core"
import type { AuditEntryId, Instant } from "@tapedeck/domain"
import type { AuditCheckpoint } from "@tapedeck/domain/audit"
import { Effect } from "effect"
import type { Database } from "../database/Database.ts"
import { chainKeyName, makeAuditChains } from "./chains.ts"
import { readEntry } from "./entries.ts"

const saveCheckpoint = `
  INSERT INTO audit_checkpoints (account_id, seq, entry_id, last_at, link, pruned_at, signature) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (account_id) DO UPDATE SET seq = excluded.seq, entry_id = excluded.entry_id, last_at = excluded.last_at,
    link = excluded.link, pruned_at = excluded.pruned_at, signature = excluded.signature`

/** The audit log's chains. Entries are linked in the order of their numbers: none may be committed below `lastSealed` later. */
export const makeAuditSeals = (database: Database): AuditSealRepository => {
  const { auditEntriesSettledUntil, dialect, query, read, write } = database
  const { last, reading } = makeAuditChains({ query, read })

  const addToCount = `INSERT INTO audit_entry_counts (account_id, event_type, entries) VALUES (?, ?, ?)
    ON CONFLICT (account_id, event_type${dialect.shard.key})
    DO UPDATE SET entries = audit_entry_counts.entries + excluded.entries`

  /** Subtracts the removed entries from the counts. */
  const removeEntries = Effect.fnUntraced(function* ({ accountId, seq }: AuditCheckpoint) {
    const removed = yield* query<[string]>(
      `DELETE FROM audit_entries WHERE id IN (SELECT entry_id FROM audit_seals WHERE account_id = ? AND seq <= ?)
        RETURNING event_type`,
      accountId,
      seq
    )
    const counts = new Map<string, number>()
    for (const [eventType] of removed) counts.set(eventType, (counts.get(eventType) ?? 0) + 1)
    for (const [eventType, count] of counts) {
      yield* query(addToCount, accountId, eventType, -count)
    }
  })

  const prune = Effect.fnUntraced(function* (checkpoint: AuditCheckpoint) {
    const { accountId, entryId, lastAt, link, prunedAt, seq, signature } = checkpoint
    yield* removeEntries(checkpoint)
    yield* query("DELETE FROM audit_seals WHERE account_id = ? AND seq <= ?", accountId, seq)
    yield* query(saveCheckpoint, accountId, seq, entryId, lastAt, link, prunedAt, signature)
  })

  return {
    ...reading,
    saveChainKey: (sealed) =>
      write(
        Effect.asVoid(
          query(
            `INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
            chainKeyName,
            sealed
          )
        )
      ),
    next: (limit) =>
      read(
        Effect.gen(function* () {
          const behind = yield* last
          const until = yield* auditEntriesSettledUntil(behind)
          const rows = yield* query<[number, string]>(
            "SELECT id, document FROM audit_entries WHERE id > ? AND id <= ? ORDER BY id LIMIT ?",
            behind,
            until,
            limit
          )
          return rows.map(([id, document]) => readEntry(id, document))
        })
      ),
    oldestUnlinkedAt: read(
      Effect.gen(function* () {
        const [row] = yield* query<[Instant]>(
          "SELECT at FROM audit_entries WHERE id > ? ORDER BY id LIMIT 1",
          yield* last
        )
        return row?.[0]
      })
    ),
    head: (accountId) =>
      read(
        Effect.gen(function* () {
          const [row] = yield* query<[number, number, string]>(
            "SELECT seq, entry_id, link FROM audit_seals WHERE account_id = ? ORDER BY seq DESC LIMIT 1",
            accountId
          )
          if (row === undefined) return yield* reading.checkpoint(accountId)
          return { seq: Number(row[0]), entryId: Number(row[1]) as AuditEntryId, link: row[2] }
        })
      ),
    add: ({ accountId, entryId, link, sealedAt, seq }) =>
      write(
        Effect.asVoid(
          query(
            "INSERT INTO audit_seals (account_id, seq, entry_id, sealed_at, link) VALUES (?, ?, ?, ?, ?)",
            accountId,
            seq,
            entryId,
            sealedAt,
            link
          )
        )
      ),
    prune: (checkpoint) => write(prune(checkpoint))
  }
}
