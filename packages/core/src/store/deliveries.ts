import type {
  AccountId,
  Attempt,
  AuditDestination,
  Automation,
  AutomationId,
  Delivery,
  DeliveryId,
  DestinationId,
  Instant,
  ListedDelivery,
  RecordingUuid
} from "@tapedeck/domain"
import type { Effect } from "effect"
import type { Allocate } from "../queueKeys.ts"
import type { Part, Slice } from "./slices.ts"

export interface DeliveryFilter {
  readonly state?: Delivery["state"]["_tag"]
  readonly automationId?: AutomationId
  readonly destinationId?: DestinationId
  readonly recordingUuid?: RecordingUuid
  readonly accountId?: AccountId
}

/** What deliveries go to: a folder's automation, or an audit destination. */
export type WebhookReceiver =
  | Required<Pick<DeliveryFilter, "automationId">>
  | Required<Pick<DeliveryFilter, "destinationId">>

/** How far the cancellation of a receiver's deliveries has come: for the store to go on from. */
export interface CancelProgress {
  /** The last delivery that there was when it began. */
  readonly upTo: number
  readonly behind: number
}

export interface CancelOptions {
  readonly at: Instant
  /** Maximum number of deliveries that are cancelled, or looked at, by one call. */
  readonly limit: number
  /** Null at first. */
  readonly progress: CancelProgress | null
}

/** What came of sending an attempt: the attempt's log without what the claim already knows. */
export type AttemptResult = Pick<Attempt, "outcome" | "statusCode" | "request" | "response" | "error">

/** Whom a delivery goes to. */
export type Receiver =
  | { readonly kind: "automation"; readonly automation: Automation }
  | { readonly kind: "destination"; readonly destination: AuditDestination }

/**
 * A delivery that one worker has in hand. Its state is `Attempting`; until the lease ends nobody else gets it, and
 * `fence` is what lets this worker, and no earlier one, write the outcome.
 */
export interface Claim {
  readonly delivery: Delivery
  readonly fence: number
  /**
   * `due`: send it. `answered`: its result was known before its end came, and its end is now: record it (and again, should
   * that worker be lost). `lost`: the worker that had it never came back.
   */
  readonly reason: "due" | "answered" | "lost"
  readonly result: AttemptResult | null
  /** As it is at the start of the attempt, which is the claim (W11); null where it is gone, and unless the claim is `due`. */
  readonly receiver: Receiver | null
}

export interface ClaimOptions {
  readonly limit: number
  readonly leaseMs: number
  /** Says how many to take of each queue; at most `limit` are taken all the same. Without it: the first in due order. */
  readonly allocate?: Allocate
}

/** How much is to be delivered. */
export interface DeliveryQueue {
  /** Before their first attempt. */
  readonly scheduled: number
  /** Before a retry, or the end of a result that is known. */
  readonly waiting: number
  /** In a worker's hands, or in those of one that is lost, until the lease ends. */
  readonly attempting: number
  /** When the first of those in nobody's hands falls, or fell, due; null where there is none. */
  readonly nextAt: Instant | null
}

/** Which deliveries are looked at for pruning: the next `limit` behind `behind` in the order in which they were made. */
export interface DeliveryPruning {
  /** Only such as were made before this instant. */
  readonly madeBefore: Instant
  /** Null: from the first on. */
  readonly behind: number | null
  readonly limit: number
}

/** What came of it: how many are gone, and behind which to go on, null when there are no more. */
export interface PrunedDeliveries {
  readonly removed: number
  readonly behind: number | null
}

export interface DeliveryRepository {
  readonly byId: (id: DeliveryId) => Effect.Effect<Delivery | undefined>
  /** In the order in which they were made. */
  readonly list: (filter: DeliveryFilter) => Effect.Effect<ReadonlyArray<Delivery>>
  /** The newest first: the other way round than `list`. Large bodies are cut (`listedDelivery`), and not read as a whole. */
  readonly page: (filter: DeliveryFilter, slice: Slice) => Effect.Effect<Part<ListedDelivery>>
  readonly insert: (delivery: Delivery) => Effect.Effect<void>
  /**
   * Takes up to `limit` deliveries that are due, in due order, first in first out on ties, and moves each to
   * `Attempting`. The store's own clock says what is due. With `allocate`: of each queue as many as that says, in this order.
   */
  readonly claim: (options: ClaimOptions) => Effect.Effect<ReadonlyArray<Claim>>
  /**
   * Leases last for another `leaseMs` from now by the store's own clock, also one that has ended, if nobody else came.
   * Which of the claims are still their worker's, in the order of `claims`: of the others nothing is written, nor of a claim
   * whose result is held, which has no lease. What somebody is writing at this very moment may be left as it is: renew well
   * before the end. Nobody who waits for the agenda is woken.
   */
  readonly renew: (claims: ReadonlyArray<Claim>, leaseMs: number) => Effect.Effect<ReadonlyArray<boolean>>
  /** Keeps a result whose end is still to come: the claim ends then, with `reason` `answered`. */
  readonly hold: (claim: Claim, result: AttemptResult, endsAt: Instant) => Effect.Effect<void>
  /**
   * Writes what `after` makes of the delivery as it now is (it may have been called off meanwhile, W11), at the present
   * instant by the store's own clock, and gives that. Null when the claim was no longer this worker's: nothing is written.
   * `after` is pure: it may be asked again.
   */
  readonly settle: (
    claim: Claim,
    after: (delivery: Delivery, at: Instant) => Delivery
  ) => Effect.Effect<Delivery | null>
  /** Writes a delivery that no worker has in hand, or the cancellation of one under way, which its worker finds as it settles. */
  readonly update: (delivery: Delivery) => Effect.Effect<void>
  /**
   * Cancels a batch of a receiver's deliveries that wait, and has those in flight end without a retry (W11). Gives how far it
   * has come, null when none are left of those that there were at the first call. Reads no bodies.
   */
  readonly cancelOf: (receiver: WebhookReceiver, options: CancelOptions) => Effect.Effect<CancelProgress | null>
  /** Removes those of a stretch that have ended, with their attempts. What is still to happen stays, however old. */
  readonly prune: (options: DeliveryPruning) => Effect.Effect<PrunedDeliveries>
  /** Counted without looking at what has ended. */
  readonly queue: Effect.Effect<DeliveryQueue>
}
