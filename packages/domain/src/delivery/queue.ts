import type { Effect } from "effect"
import type { Receiver } from "../receivers/Receiver.ts"
import type { Instant } from "../time.ts"
import type { Attempt } from "./Attempt.ts"
import type { Delivery } from "./Delivery.ts"
import type { RetrySchedule } from "./schedule.ts"
import type { DeliveryState } from "./stateSchema.ts"

/** The part of a delivery that sending uses. The deliveries of a queue may have more fields. */
export interface AnyDelivery {
  /** The `webhook-id` of each attempt: visible ASCII characters without a full stop. */
  readonly id: string
  /** The text that each attempt sends. */
  readonly body: string
  /** The delays before the retries. */
  readonly schedule: RetrySchedule
  /** True if the delivery is sent even to a disabled receiver. Default: false. */
  readonly test?: boolean
  readonly state: DeliveryState
  /** Attempts that have ended. */
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
   * Reason of the claim. `due`: the delivery must be sent. `answered`: a result was held until now, and must be recorded (again, if the
   * worker that held it is lost). `lost`: the lease of the previous worker has expired.
   */
  readonly reason: "due" | "answered" | "lost"
  readonly result: AttemptResult | null
  /** The receiver at the time of the claim, which is the start of the attempt; null if it was deleted, or the reason is not `due`. */
  readonly receiver: Receiver | null
}

/**
 * Key of a part of the queue, which gets a fair share of a worker: the first attempts of an account at one receiver, or its retries
 * there. An attempt that was lost with its worker keeps its key.
 */
export interface QueueKey {
  readonly accountId: number
  /** Id of the receiver, unique across accounts. */
  readonly receiver: string
  readonly isFirstAttempt: boolean
}

/**
 * Returns the number of deliveries that a claim takes for each key. `keys` has the keys of all due deliveries, by account, then
 * receiver, first attempts before retries. The function must be pure, because it may be called more than once.
 */
export type Allocate = (keys: ReadonlyArray<QueueKey>) => ReadonlyArray<number>

export interface ClaimOptions {
  readonly limit: number
  readonly leaseMs: number
  /** Divides `limit` among the keys. Without it, a claim takes the first deliveries in due order. */
  readonly allocate?: Allocate
}

/** Time and kind of the next due work. */
export interface NextDue {
  readonly at: Instant
  readonly kind: string
}

/** Queue of deliveries, from which workers claim. No call fails: an error of the queue is a defect. */
export interface DeliveryQueue<D extends AnyDelivery = Delivery> {
  readonly byId: (id: D["id"]) => Effect.Effect<D | undefined>
  readonly keyOf: (delivery: D) => QueueKey
  /**
   * Claims up to `limit` deliveries that are due by the queue's clock, in due order, first in first out on ties, and moves each to
   * `Attempting`. With `allocate`, claims as many of each key as it returns.
   */
  readonly claim: (options: ClaimOptions) => Effect.Effect<ReadonlyArray<Claim<D>>>
  /**
   * Renews leases until `leaseMs` from now by the queue's clock, even expired ones if there is no later claim. Returns which claims are
   * still valid, in the order of `claims`. It changes no other claims, and none whose result is held, because those have no lease. A row
   * that is being written may not be renewed, so renew well before the expiry.
   */
  readonly renew: (claims: ReadonlyArray<Claim<D>>, leaseMs: number) => Effect.Effect<ReadonlyArray<boolean>>
  /** Holds a result until its end, when the delivery can be claimed with the reason `answered`. */
  readonly hold: (claim: Claim<D>, result: AttemptResult, endsAt: Instant) => Effect.Effect<void>
  /**
   * Applies `after` to the current delivery (which may have been cancelled) at the current instant of the queue's clock, writes the
   * result and returns it. Returns null and writes nothing if there is a later claim. `after` must be pure, because it may be called more
   * than once.
   */
  readonly settle: (claim: Claim<D>, after: (delivery: D, at: Instant) => D) => Effect.Effect<D | null>
  /** Notifies workers of due deliveries. Without it, a worker polls every second. */
  readonly agenda?: {
    readonly next: Effect.Effect<NextDue | undefined>
    /** Completes when the result of `next` may have changed. */
    readonly changed: Effect.Effect<void>
  }
}
