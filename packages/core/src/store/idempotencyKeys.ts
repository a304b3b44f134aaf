import type { Instant } from "@tapedeck/domain"
import type { Effect } from "effect"

/** The stored response to a request with an `Idempotency-Key`. */
export interface StoredResponse {
  /** SHA-256 of caller, operation and key, in hexadecimal. */
  readonly id: string
  /** The number of stored responses is limited by caller. */
  readonly caller: string
  /** The response and the hash of its request, sealed by the vault. */
  readonly sealed: string
  readonly expiresAt: Instant
}

export interface IdempotencyKeyRepository {
  /**
   * Locks the key until the transaction ends; false while a transaction of another process holds the lock. Inside a transaction.
   * Within one process, the use case admits one request of a key at a time.
   */
  readonly lock: (id: string) => Effect.Effect<boolean>
  /** Includes expired responses until they are pruned: the use case ignores them. */
  readonly byId: (id: string) => Effect.Effect<StoredResponse | undefined>
  /** Replaces a response of the same id, and makes it the newest. */
  readonly save: (response: StoredResponse) => Effect.Effect<void>
  /** Removes expired responses, and a caller's oldest beyond `maxPerCaller`; at most 100 of each. */
  readonly prune: (options: StoredResponsePruning) => Effect.Effect<void>
}

export interface StoredResponsePruning {
  readonly now: Instant
  readonly caller: string
  readonly maxPerCaller: number
}

/** Maximum number of responses of a kind that one call removes. Each request adds one, so there are never many more. */
export const maxPruned = 100
