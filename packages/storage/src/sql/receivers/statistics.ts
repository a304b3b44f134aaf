import type { StatisticsFilter, StatisticsRepository } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import type { CountedReceiver } from "@tapedeck/domain/internal/delivery"
import { Effect } from "effect"
import type { Database } from "../database/Database.ts"

// PostgreSQL returns sums as text.
type CountRow<Key> = readonly [key: Key, measure: number, attempts: number | string]
type HealthRow = readonly [
  receiver: CountedReceiver,
  lastSuccessAt: Instant | null,
  failingSince: Instant | null,
  failures: number | string
]

/** Reads the counters that outcomes add to (`recordOutcomes`). */
export const makeStatistics = ({ query, read, sql, write }: Database): StatisticsRepository => {
  const select = <Key extends Instant | CountedReceiver>(
    column: "hour" | "receiver",
    { accountId, receiver, since, until }: StatisticsFilter
  ) =>
    Effect.map(
      query<CountRow<Key>>(
        `SELECT ${column}, measure, sum(attempts) FROM attempt_counts
          WHERE account_id = ? AND hour >= ? AND hour < ?${receiver === undefined ? "" : " AND receiver = ?"}
          GROUP BY ${column}, measure ORDER BY ${column}, measure`,
        accountId,
        since,
        until,
        ...(receiver === undefined ? [] : [receiver])
      ),
      (rows) => rows.map(([key, measure, attempts]) => [key, measure, Number(attempts)] as const)
    )

  return {
    byHour: (filter) => read(select<Instant>("hour", filter)),
    byReceiver: (filter) => read(select<CountedReceiver>("receiver", filter)),
    health: (accountId, receiver) =>
      read(
        Effect.map(
          query<HealthRow>(
            `SELECT receiver, max(last_success_at), min(failing_since), sum(failures) FROM receiver_health
              WHERE account_id = ?${receiver === undefined ? "" : " AND receiver = ?"} GROUP BY receiver`,
            accountId,
            ...(receiver === undefined ? [] : [receiver])
          ),
          (rows) =>
            new Map(
              rows.map(([name, lastSuccessAt, failingSince, failures]) => [
                name,
                { lastSuccessAt, failingSince, failedInARow: Number(failures) }
              ])
            )
        )
      ),
    prune: (accountId, before) =>
      write(
        Effect.andThen(
          sql`DELETE FROM attempt_counts WHERE account_id = ${accountId} AND hour < ${before}`,
          sql`DELETE FROM receiver_health WHERE account_id = ${accountId} AND last_at < ${before}`
        )
      ).pipe(Effect.asVoid)
  }
}
