import type { AuditChainReading, SealedEntry } from "@tapedeck/core"
import type { AccountId, AuditEntryId, Instant } from "@tapedeck/domain"
import type { AuditEntry } from "@tapedeck/domain/audit"
import { Effect } from "effect"
import type { Database } from "../database/Database.ts"

/**
 * A link and its entry, if that exists, with the columns that must agree with its document. Neither is decoded: an attacker may have
 * changed any of them, and the verification compares them with the link.
 */
type SealRow = readonly [
  seq: number,
  entryId: number,
  sealedAt: number,
  link: string,
  accountId: number | null,
  userId: number | null,
  eventType: string | null,
  targetId: string | null,
  at: number | null,
  document: string | null
]

/** The entry of a row. Its columns, which lists use, have to agree with its document, which was linked. */
const entryOf = ([, , , , accountId, userId, eventType, targetId, at, document]: SealRow): SealedEntry["entry"] => {
  if (document === null) return "missing"
  const entry = parsed(document)
  const agrees =
    entry?.accountId === Number(accountId) &&
    entry.userId === (userId === null ? null : Number(userId)) &&
    entry.eventType === eventType &&
    entry.metadata?.targetId === targetId &&
    entry.at === Number(at)
  return agrees ? entry : "broken"
}

const parsed = (document: string): AuditEntry | undefined => {
  try {
    const value: unknown = JSON.parse(document)
    return typeof value === "object" && value !== null ? (value as AuditEntry) : undefined
  } catch {
    return undefined
  }
}

export const chainKeyName = "audit_chain_key"

const lastOf = (table: string) => `SELECT max(entry_id) FROM ${table}`

const leastAbove = (table: string) => `SELECT min(account_id) FROM ${table} WHERE account_id > ?`

/** Reads the audit log's chains. */
export const makeAuditChains = ({ query, read }: Pick<Database, "query" | "read">) => {
  /** Each maximum is the end of an index. */
  const last = Effect.gen(function* () {
    const [linked] = yield* query<[number | null]>(lastOf("audit_seals"))
    const [pruned] = yield* query<[number | null]>(lastOf("audit_checkpoints"))
    return Math.max(Number(linked?.[0] ?? 0), Number(pruned?.[0] ?? 0))
  })

  const reading: AuditChainReading = {
    chainKey: read(
      Effect.map(query<[string]>("SELECT value FROM meta WHERE name = ?", chainKeyName), ([row]) => row?.[0])
    ),
    nextAccount: (after) =>
      read(
        Effect.gen(function* () {
          const found: Array<number> = []
          for (const table of ["audit_entries", "audit_seals", "audit_checkpoints"]) {
            const [row] = yield* query<[number | null]>(leastAbove(table), after)
            if (row?.[0] != null) found.push(Number(row[0]))
          }
          return found.length === 0 ? undefined : (Math.min(...found) as AccountId)
        })
      ),
    checkpoint: (accountId) =>
      read(
        Effect.map(
          query<[number, number, number, string, number, string]>(
            "SELECT seq, entry_id, last_at, link, pruned_at, signature FROM audit_checkpoints WHERE account_id = ?",
            accountId
          ),
          ([row]) => {
            if (row === undefined) return undefined
            const [seq, entryId, lastAt, link, prunedAt, signature] = row
            return {
              accountId,
              seq: Number(seq),
              entryId: Number(entryId) as AuditEntryId,
              lastAt: Number(lastAt) as Instant,
              link,
              prunedAt: Number(prunedAt) as Instant,
              signature
            }
          }
        )
      ),
    after: (accountId, seq, limit) =>
      read(
        Effect.map(
          query<SealRow>(
            `SELECT s.seq, s.entry_id, s.sealed_at, s.link, e.account_id, e.user_id, e.event_type, e.target_id, e.at, e.document
              FROM audit_seals s LEFT JOIN audit_entries e ON e.id = s.entry_id
              WHERE s.account_id = ? AND s.seq > ? ORDER BY s.seq LIMIT ?`,
            accountId,
            seq,
            limit
          ),
          (rows) =>
            rows.map((row) => {
              const [seq, entryId, sealedAt, link] = row
              const seal = {
                accountId,
                seq: Number(seq),
                entryId: Number(entryId) as AuditEntryId,
                sealedAt: Number(sealedAt) as Instant,
                link
              }
              return { seal, entry: entryOf(row) }
            })
        )
      ),
    lastSealed: read(last),
    unlinked: (accountId, after, limit) =>
      read(
        Effect.flatMap(last, (until) =>
          Effect.map(
            query<[number]>(
              `SELECT e.id FROM audit_entries e WHERE e.account_id = ? AND e.id > ? AND e.id <= ?
                AND NOT EXISTS (SELECT 1 FROM audit_seals s WHERE s.entry_id = e.id) ORDER BY e.id LIMIT ?`,
              accountId,
              after,
              until,
              limit
            ),
            (rows) => rows.map(([id]) => Number(id) as AuditEntryId)
          )
        )
      ),
    waiting: (accountId, max = Number.MAX_SAFE_INTEGER) =>
      read(
        Effect.flatMap(last, (until) =>
          Effect.map(
            query<[number]>(
              `SELECT count(*) FROM (SELECT 1 FROM audit_entries WHERE account_id = ? AND id > ? LIMIT ?) AS waiting`,
              accountId,
              until,
              max
            ),
            ([row]) => Number(row![0])
          )
        )
      )
  }
  return { reading, last }
}
