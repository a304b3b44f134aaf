import type { Claim } from "@tapedeck/core"
import type { Delivery } from "@tapedeck/domain"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Query } from "./Query.ts"

/** More than a worker has hands. */
const mostKept = 1_000

const selectState = "SELECT state_document, attempts FROM deliveries WHERE id = ?"

/**
 * Deliveries as they were claimed, for who settles them. Nothing of one changes but its state and its attempts, and those
 * are looked at each time it is read: what is kept saves the rest of the reading, and is never out of date.
 */
export const makeInHand = (query: Query) => {
  const kept = new Map<string, { readonly delivery: Delivery; readonly stateText: string }>()

  const keep = ({ delivery }: Claim) => {
    kept.delete(delivery.id)
    const [oldest] = kept.size < mostKept ? [] : kept.keys()
    if (oldest !== undefined) kept.delete(oldest)
    kept.set(delivery.id, { delivery, stateText: JSON.stringify(delivery.state) })
  }

  return {
    /** Only what is committed: what a transaction dropped may be made again, and not be the same. */
    keep,
    forget: (id: string) => void kept.delete(id),
    byId: (
      id: string,
      read: Effect.Effect<Delivery | undefined, SqlError>
    ): Effect.Effect<Delivery | undefined, SqlError> => {
      const found = kept.get(id)
      if (found === undefined) return read
      return Effect.flatMap(query<[string, number]>(selectState, id), ([row]) =>
        row !== undefined && row[0] === found.stateText && row[1] === found.delivery.attempts.length
          ? Effect.succeed(found.delivery)
          : read
      )
    }
  }
}
