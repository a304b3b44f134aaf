import type { DeliveryQueue } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Database } from "./Database.ts"

// Each is answered by an index alone that holds what waits and nothing else: 1,000,000 ended deliveries cost nothing.
const byLane = "SELECT retry, count(*) FROM delivery_queue GROUP BY receiver, retry"
const leased = "SELECT count(*) FROM delivery_queue WHERE due_kind = 'lease'"
const first = `SELECT due_at FROM delivery_queue WHERE due_kind <> 'lease'
  ORDER BY due_at, due_order LIMIT 1`

/** How much is to be delivered. What has been claimed counts among retries, by its row; its lease tells it apart. */
export const makeDeliveryQueue = ({ query, read }: Pick<Database, "query" | "read">): Effect.Effect<DeliveryQueue> =>
  read(
    Effect.gen(function* () {
      let scheduled = 0
      let retries = 0
      for (const [retry, count] of yield* query<[retry: number, count: number]>(byLane)) {
        if (retry === 0) scheduled += Number(count)
        else retries += Number(count)
      }
      const [[attempting = 0] = []] = yield* query<[count: number]>(leased)
      const [[nextAt = null] = []] = yield* query<[dueAt: number]>(first)
      return {
        scheduled,
        waiting: retries - Number(attempting),
        attempting: Number(attempting),
        nextAt: nextAt as Instant | null
      }
    })
  )
