import type { AccountId, DeliveryId, Instant, RedeliveryId } from "@tapedeck/domain"
import type { Redelivery } from "@tapedeck/domain/internal/delivery"
import type { JobPool } from "@tapedeck/domain/internal/jobs"
import type { Effect } from "effect"

export interface RedeliveryRepository {
  readonly byId: (id: RedeliveryId) => Effect.Effect<Redelivery | undefined>
  /** The newest first. */
  readonly ofAccount: (id: AccountId) => Effect.Effect<ReadonlyArray<Redelivery>>
  readonly save: (redelivery: Redelivery) => Effect.Effect<void>
  readonly remove: (id: RedeliveryId) => Effect.Effect<void>
}

/**
 * An entry of the agenda: the start of an attempt, the end of one whose result is held, the end of a lease, a job. A claimed job is due when
 * its lease ends.
 */
export type Due =
  | { readonly kind: "attempt"; readonly at: Instant; readonly deliveryId: DeliveryId }
  | { readonly kind: "attempt_end"; readonly at: Instant; readonly deliveryId: DeliveryId }
  | { readonly kind: "lease"; readonly at: Instant; readonly deliveryId: DeliveryId }
  | { readonly kind: "job"; readonly at: Instant; readonly jobId: string }

export interface Agenda {
  /** The first entry; of jobs, only those of the pools. */
  readonly next: (pools: ReadonlyArray<JobPool>) => Effect.Effect<Due | undefined>
  /** All entries in order. */
  readonly list: Effect.Effect<ReadonlyArray<Due>>
  /** Completes at the next commit that adds an entry, at least if it is due within a second. */
  readonly changed: Effect.Effect<void>
}
