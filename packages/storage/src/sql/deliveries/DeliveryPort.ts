import type { Instant } from "@tapedeck/domain"
import type { Claim, ClaimOptions, QueueKey } from "@tapedeck/domain/delivery"
import type { AttemptTally } from "@tapedeck/domain/internal/delivery"
import type { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AttemptRow, DuePlace, QueuedRow, QueuedState, RowVersion } from "./rows.ts"

/** Operations of the delivery queue that differ by database (`sqlite/`, `postgres/`). They run inside a transaction. */
export interface DeliveryPort {
  /** Claims due deliveries: no other worker gets them until `leaseMs` from now. */
  readonly claimDue: (options: ClaimOptions) => Effect.Effect<ClaimedRows, SqlError>
  /** Moves the ends of leases to `leaseMs` from now. Returns which claims are still valid, in their order. */
  readonly renewLeases: (
    claims: ReadonlyArray<Claim>,
    leaseMs: number
  ) => Effect.Effect<ReadonlyArray<boolean>, SqlError>
  /** Returns which outcomes were recorded: those whose row still is the claimed version. */
  readonly recordOutcomes: (outcomes: ReadonlyArray<Outcome>) => Effect.Effect<ReadonlyArray<boolean>, SqlError>
  readonly insertAttempts: (attempts: ReadonlyArray<AttemptRow>) => Effect.Effect<void, SqlError>
  /** Forms the batches of concurrent outcomes that share a transaction. */
  readonly batching: Batching
}

/** Rules by which a batch is formed. */
export interface Batching {
  /** Pause between a batch and the next: it lets more items arrive where each batch is expensive. */
  readonly pause: Effect.Effect<void>
  /** Maximum number of concurrent batches. Another one starts only when a full batch waits. */
  readonly concurrency: number
}

/** A claimed delivery: its row after the claim, and why it could be claimed. */
export interface ClaimedRow {
  readonly delivery: QueuedRow
  readonly fence: number
  readonly held: string | null
  /** Another worker had claimed it, and did not record an outcome before its lease ended. */
  readonly wasLeased: boolean
}

/** A receiver as it is at the time of the claim. */
export type ReceiverRow = readonly [kind: "automation" | "destination", id: string, document: string, sealed: string]

export interface ClaimedRows {
  /** Claimed deliveries in due order. */
  readonly deliveries: ReadonlyArray<ClaimedRow>
  /** Each receiver once, without those that were removed. */
  readonly receivers: ReadonlyArray<ReceiverRow>
}

export const noRows: ClaimedRows = { deliveries: [], receivers: [] }

/** The columns that a claim returns, a delivery's first. */
export type ClaimColumns = readonly [
  sequence: number,
  document: string,
  body: string,
  state: string,
  claimedAt: Instant | null,
  attempts: number,
  fence: number,
  held: string | null,
  leasedUntil: number
]

/** The outcome of a claim. */
export interface Outcome {
  readonly row: RowVersion
  /** The delivery has ended (nulls if the attempt's row says so, and `deliveries` is not written), or is queued again. */
  readonly next:
    | { readonly ended: readonly [as: string | null, at: number | null] }
    | { readonly queued: QueuedState; readonly due: DuePlace }
  readonly attempt: readonly [place: number, document: string, deliveredAt: number | null] | undefined
  /** Contribution of the attempt to the counters. */
  readonly tally: AttemptTally | undefined
}

/** Selects the receivers whose id satisfies the condition. */
export const selectReceivers = (condition: string): string => `
  SELECT 'automation' AS kind, id, document, sealed FROM automations WHERE id ${condition}
  UNION ALL
  SELECT 'destination', id, document, sealed FROM destinations WHERE id ${condition}`

export const queueKeyIn = (accountId: number, receiver: string, retry: number): QueueKey => ({
  accountId,
  receiver,
  isFirstAttempt: retry === 0
})
