import type { Effect } from "effect"
import type { Receiver } from "../receivers/Receiver.ts"
import type { Instant } from "../time.ts"
import type { Attempt } from "./Attempt.ts"
import type { Delivery } from "./Delivery.ts"
import type { RetrySchedule } from "./schedule.ts"
import type { DeliveryState } from "./stateSchema.ts"

/** What sending knows of a delivery. A queue's own deliveries may have more. */
export interface AnyDelivery {
  /** The `webhook-id` of each attempt: visible ASCII characters without a full stop. */
  readonly id: string
  /** The text that each attempt sends. */
  readonly body: string
  /** The delays before its retries. */
  readonly schedule: RetrySchedule
  /** Whether it is sent even to a receiver that is not enabled. */
  readonly test?: boolean
  readonly state: DeliveryState
  /** Those that have ended. */
  readonly attempts: ReadonlyArray<Attempt>
}

/** The result of sending an attempt: the attempt without what the claim already contains. */
export type AttemptResult = Pick<Attempt, "outcome" | "statusCode" | "request" | "response" | "error">

/**
 * A delivery that one worker has claimed. Its state is `Attempting`. Until the lease ends no other worker can claim it, and only
 * the last claim's `fence` permits writing the outcome.
 */
export interface Claim<D extends AnyDelivery = Delivery> {
  readonly delivery: D
  readonly fence: number
  /**
   * `due`: send it. `answered`: its result was held until its end, which is now: record it (again, if that worker is lost).
   * `lost`: the lease of the worker that had it has ended.
   */
  readonly reason: "due" | "answered" | "lost"
  readonly result: AttemptResult | null
  /** The receiver at the start of the attempt, which is the claim; null if it was removed, or the claim is not `due`. */
  readonly receiver: Receiver | null
}

/**
 * Names a part of the queue that has a fair share of the worker: an account's first attempts at one receiver, or its retries
 * there. An attempt that was lost with its worker keeps its key.
 */
export interface QueueKey {
  readonly accountId: number
  /** The receiver's id, which belongs to that account alone. */
  readonly receiver: string
  readonly isFirstAttempt: boolean
}

/**
 * Returns how many deliveries a claim takes of each key. Its parameter are the keys of all due deliveries, by account, then
 * receiver, first attempts before retries. Pure: it may be called more than once.
 */
export type Allocate = (keys: ReadonlyArray<QueueKey>) => ReadonlyArray<number>

export interface ClaimOptions {
  readonly limit: number
  readonly leaseMs: number
  /** Divides `limit` among the keys. Without it: the first in due order. */
  readonly allocate?: Allocate
}

/** When something is due next, and what. */
export interface NextDue {
  readonly at: Instant
  readonly kind: string
}

/** Deliveries that wait to be sent, where workers claim them. No call fails: what cannot be done is a defect. */
export interface DeliveryQueue<D extends AnyDelivery = Delivery> {
  readonly byId: (id: D["id"]) => Effect.Effect<D | undefined>
  readonly keyOf: (delivery: D) => QueueKey
  /**
   * Claims up to `limit` deliveries that are due by the queue's clock, in due order, first in first out on ties, and moves each to
   * `Attempting`. With `allocate`, of each key as many as it returns.
   */
  readonly claim: (options: ClaimOptions) => Effect.Effect<ReadonlyArray<Claim<D>>>
  /**
   * Renews leases until `leaseMs` from now by the queue's clock, even one that has ended, if there is no later claim. Returns which
   * claims are still valid, in the order of `claims`; it changes no others, and none whose result is held, which has no lease. A
   * row that is being written may not be renewed: renew well before the end.
   */
  readonly renew: (claims: ReadonlyArray<Claim<D>>, leaseMs: number) => Effect.Effect<ReadonlyArray<boolean>>
  /** Holds a result until its end, when the delivery can be claimed with the reason `answered`. */
  readonly hold: (claim: Claim<D>, result: AttemptResult, endsAt: Instant) => Effect.Effect<void>
  /**
   * Applies `after` to the delivery as it is now (it may have been cancelled), at the current instant by the queue's clock, writes
   * the result and returns it. Null if the claim is not the last one: nothing is written. `after` is pure: it may be called more
   * than once.
   */
  readonly settle: (claim: Claim<D>, after: (delivery: D, at: Instant) => D) => Effect.Effect<D | null>
  /** What a worker waits for. Without it, it asks for due deliveries each second. */
  readonly agenda?: {
    readonly next: Effect.Effect<NextDue | undefined>
    /** Completes when `next` may have changed. */
    readonly changed: Effect.Effect<void>
  }
}
