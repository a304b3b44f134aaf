import type { Instant } from "@tapedeck/domain"
import type { Effect } from "effect"

/** The answer to a request with an `Idempotency-Key`, as the store keeps it. */
export interface KeptAnswer {
  /** SHA-256 of caller, operation and key, in hexadecimal. */
  readonly id: string
  /** By this the number of kept answers is limited. */
  readonly caller: string
  /** The answer and the hash of its request, sealed by the vault. */
  readonly sealed: string
  readonly expiresAt: Instant
}

export interface IdempotencyKeyRepository {
  /**
   * Locks the key until the transaction ends, and gives whether it could: false while a transaction of another process has
   * it. Inside a transaction. Within one process the use case has one request of a key at a time.
   */
  readonly lock: (id: string) => Effect.Effect<boolean>
  /** Expired answers are found too, until they are pruned: the use case ignores them. */
  readonly byId: (id: string) => Effect.Effect<KeptAnswer | undefined>
  /** Replaces an answer of the same id, and is newer than all others then. */
  readonly save: (answer: KeptAnswer) => Effect.Effect<void>
  /** Removes expired answers, and those of a caller that are not among its newest `maxPerCaller`; at most 100 of each. */
  readonly prune: (options: KeptAnswerPruning) => Effect.Effect<void>
}

export interface KeptAnswerPruning {
  readonly now: Instant
  readonly caller: string
  readonly maxPerCaller: number
}

/** So many answers of a kind are removed at a time. Each request adds one, so there are never many more. */
export const prunedAtOnce = 100
