import type { QueueCounts } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Database } from "../database/Database.ts"

// An index of the queue alone answers each: ended deliveries cost nothing.
const byQueue = "SELECT retry, count(*) FROM delivery_queue GROUP BY receiver, retry"
/** Deliveries in flight were due when they were claimed. */
const leased = "SELECT retry, count(*) FROM delivery_queue WHERE due_at <= ? AND leased_until > 0 GROUP BY retry"
const first = "SELECT due_at FROM delivery_queue WHERE leased_until = 0 ORDER BY due_at, due_order LIMIT 1"

/** The number of queued deliveries, by what they wait for. */
export const queueCounts = ({
  now: storeNow,
  query,
  read
}: Pick<Database, "now" | "query" | "read">): Effect.Effect<QueueCounts> =>
  read(
    Effect.gen(function* () {
      const waiting = counted(yield* query<RetryCount>(byQueue))
      const attempting = counted(yield* query<RetryCount>(leased, yield* storeNow))
      const [[nextAt = null] = []] = yield* query<[dueAt: number]>(first)
      return {
        scheduled: waiting.first - attempting.first,
        waiting: waiting.again - attempting.again,
        attempting: attempting.first + attempting.again,
        nextAt: nextAt as Instant | null
      }
    })
  )

type RetryCount = readonly [retry: number, count: number]

const counted = (rows: ReadonlyArray<RetryCount>) => {
  const sum = { first: 0, again: 0 }
  for (const [retry, count] of rows) sum[retry === 0 ? "first" : "again"] += Number(count)
  return sum
}
