import type { HourCount, ReceiverCount, StatisticsFilter, StatisticsRepository } from "@tapedeck/core"
import type { CountedReceiver, ReceiverHealth } from "@tapedeck/domain/internal/delivery"
import { Effect } from "effect"
import type { Database } from "../database/Database.ts"

type HealthRow = readonly [
  receiver: string,
  lastSuccessAt: number | null,
  failingSince: number | null,
  failures: number
]

const instantOf = (value: number | null) => (value === null ? null : Number(value)) as ReceiverHealth["lastSuccessAt"]

/** Reads the counters that outcomes add to (`recordOutcomes`). */
export const makeStatistics = ({ query, read, sql, write }: Database): StatisticsRepository => {
  const select = <Row extends readonly [string | number, number, number]>(
    column: "hour" | "receiver",
    { accountId, receiver, since, until }: StatisticsFilter
  ) =>
    Effect.map(
      query<Row>(
        `SELECT ${column}, measure, sum(attempts) FROM attempt_counts
          WHERE account_id = ? AND hour >= ? AND hour < ?${receiver === undefined ? "" : " AND receiver = ?"}
          GROUP BY ${column}, measure ORDER BY ${column}, measure`,
        accountId,
        since,
        until,
        ...(receiver === undefined ? [] : [receiver])
      ),
      (rows) => rows.map(([key, measure, attempts]) => [key, Number(measure), Number(attempts)] as const)
    )

  return {
    byHour: (filter) =>
      read(
        Effect.map(select("hour", filter), (rows) =>
          rows.map(([hour, measure, attempts]) => [Number(hour), measure, attempts] as unknown as HourCount)
        )
      ),
    byReceiver: (filter) => read(select("receiver", filter)) as Effect.Effect<ReadonlyArray<ReceiverCount>>,
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
                name as CountedReceiver,
                {
                  lastSuccessAt: instantOf(lastSuccessAt),
                  failingSince: instantOf(failingSince),
                  failedInARow: Number(failures)
                }
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
