import type {
  AccountId,
  AuditEntryId,
  AutomationId,
  Delivery,
  DestinationId,
  Instant,
  RecordingUuid
} from "@tapedeck/domain"
import type { DeliveryQueue } from "@tapedeck/domain/delivery"
import type { ListedDelivery } from "@tapedeck/domain/internal/delivery"
import type { Effect } from "effect"
import type { ListPart } from "./recordings.ts"
import type { Part, Slice } from "./slices.ts"

export interface DeliveryFilter {
  readonly state?: Delivery["state"]["_tag"]
  readonly automationId?: AutomationId
  readonly destinationId?: DestinationId
  readonly recordingUuid?: RecordingUuid
  readonly auditEntryId?: AuditEntryId
  readonly accountId?: AccountId
}

/** A receiver of deliveries: a folder's automation, or an audit destination. */
export type WebhookReceiver =
  | Required<Pick<DeliveryFilter, "automationId">>
  | Required<Pick<DeliveryFilter, "destinationId">>

/** Progress of the cancellation of a receiver's deliveries, from which the store continues. */
export interface CancelProgress {
  /** The last delivery at the begin of the cancellation. */
  readonly upTo: number
  readonly after: number
}

export interface CancelOptions {
  readonly at: Instant
  /** Maximum number of deliveries that are cancelled, or looked at, by one call. */
  readonly limit: number
  /** Null at first. */
  readonly progress: CancelProgress | null
}

/** The number of deliveries that have not ended. */
export interface QueueCounts {
  /** Deliveries before their first attempt. */
  readonly scheduled: number
  /** Deliveries before a retry, or before the end of a held result. */
  readonly waiting: number
  /** Deliveries in flight, until the lease ends. */
  readonly attempting: number
  /** Due time of the first delivery that is not in flight; null if there is none. */
  readonly nextAt: Instant | null
}

/** The deliveries that are checked for pruning: the next `limit` after `after`, in the order of creation. */
export interface DeliveryPruning {
  /** Only deliveries that were created before this instant. */
  readonly createdBefore: Instant
  /** Place after which deliveries are checked; null for the first call. */
  readonly after: number | null
  readonly limit: number
}

/** The number of removed deliveries, and the `after` of the next call; null at the end. */
export interface PrunedDeliveries {
  readonly removed: number
  readonly after: number | null
}

/** A search in an account's deliveries. A delivery must match all fields that are set. */
export interface DeliverySearch extends DeliveryFilter {
  readonly accountId: AccountId
  readonly event?: string
  /** HTTP status of one of the delivery's attempts. */
  readonly statusCode?: number
  /** Start of the period of creation, inclusive. */
  readonly since?: Instant
  /** End of the period of creation, exclusive. */
  readonly until?: Instant
}

export interface FoundDeliveries<A> extends ListPart<A> {
  /** The place of the first item; null without items. A place is a number that grows with the order of creation. */
  readonly first: number | null
  /** Place after which the list continues; null at its end. */
  readonly next: number | null
}

/** Maximum number of deliveries that a search scans. */
export const maxScanned = 10_000

export interface DeliveryRepository extends Omit<DeliveryQueue<Delivery>, "agenda" | "keyOf"> {
  /** Lists the deliveries in the order of creation. */
  readonly list: (filter: DeliveryFilter) => Effect.Effect<ReadonlyArray<Delivery>>
  /**
   * Lists deliveries, newest first: the reverse of `list`. Large bodies are cut (`listedDelivery`), and not read as a whole. Each
   * delivery is passed to `each` as soon as it is read, and only the result is kept: a page may have 13 MB.
   */
  readonly page: <A>(
    filter: DeliveryFilter,
    slice: Slice,
    each: (delivery: ListedDelivery) => A
  ) => Effect.Effect<Part<A>>
  /**
   * Lists deliveries after place `after`, newest first, each cut and passed to `each` as by `page`. A search scans `maxScanned`
   * deliveries: it may return fewer than `limit`, or none, although the list continues. `count` is the number of matches from here on,
   * within the same limit.
   */
  readonly search: <A>(
    search: DeliverySearch,
    after: number | null,
    limit: number,
    each: (delivery: ListedDelivery) => A
  ) => Effect.Effect<FoundDeliveries<A>>
  readonly insert: (delivery: Delivery) => Effect.Effect<void>
  /** Writes a delivery that is not in flight, or cancels one in flight, which its worker finds when it settles the claim. */
  readonly update: (delivery: Delivery) => Effect.Effect<void>
  /**
   * Cancels a batch of a receiver's waiting deliveries, and lets those in flight end without a retry (W11). Returns its progress;
   * null when none are left of those that existed at the first call. Reads no bodies.
   */
  readonly cancelOf: (receiver: WebhookReceiver, options: CancelOptions) => Effect.Effect<CancelProgress | null>
  /** Removes a batch of ended deliveries with their attempts. Deliveries that have not ended stay, however old. */
  readonly prune: (options: DeliveryPruning) => Effect.Effect<PrunedDeliveries>
  /** Counts without reading ended deliveries. */
  readonly queue: Effect.Effect<QueueCounts>
}
