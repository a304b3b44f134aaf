import { type Delivery, type Receiver, receiverOfAutomation, receiverOfDestination } from "@tapedeck/domain"
import type { Claim, ClaimOptions } from "@tapedeck/domain/delivery"
import { addressedTo } from "@tapedeck/domain/internal/receivers"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { RowUnreadable } from "../database/errors.ts"
import { forEachEager } from "../database/forEachEager.ts"
import type { Automations, Destinations } from "../receivers/repository.ts"
import type { AttemptTexts } from "./attempts.ts"
import type { ClaimedRow, ClaimedRows, DeliveryPort, ReceiverRow } from "./DeliveryPort.ts"
import type { DeliveryRows, QueuedDelivery } from "./rows.ts"

export interface ClaimReceivers {
  readonly automations: Pick<Automations, "opened">
  readonly destinations: Pick<Destinations, "opened">
}

export interface ClaimParts {
  readonly claimDue: DeliveryPort["claimDue"]
  readonly rows: DeliveryRows
  readonly texts: AttemptTexts
  readonly receivers: ClaimReceivers
  /** Wakes this process after the commit: a claim is no work for others. */
  readonly agendaTaken: Effect.Effect<void>
}

/**
 * A claim with the row that it was made from, so that settling it does not read the row again: while a delivery is claimed, only
 * its state can change, and the write checks that.
 */
export class StoredClaim implements Claim {
  readonly delivery: Delivery
  readonly fence: number
  readonly reason: Claim["reason"]
  readonly result: Claim["result"]
  readonly receiver: Claim["receiver"]
  readonly #row: QueuedDelivery

  constructor({ delivery, reason, receiver, result }: Omit<Claim, "fence">, { delivery: columns, fence }: ClaimedRow) {
    this.delivery = delivery
    this.fence = fence
    this.reason = reason
    this.result = result
    this.receiver = receiver
    const [sequence, , , stateText] = columns
    this.#row = { sequence, fence, stateText: stateText!, delivery }
  }

  /** Undefined for a claim that no store made. */
  static rowOf(claim: Claim): QueuedDelivery | undefined {
    return #row in claim ? claim.#row : undefined
  }
}

/** Receivers by id, for each kind: an automation and a destination may have the same id. */
type Receivers = Readonly<Record<ReceiverRow[0], ReadonlyMap<string, Receiver>>>

/** Claims what is due. Inside a transaction. */
export const makeClaim = ({ agendaTaken, claimDue, receivers, rows, texts }: ClaimParts) => {
  const { automations, destinations } = receivers

  const receiversOf = (found: ReadonlyArray<ReceiverRow>): Effect.Effect<Receivers> => {
    const known = { automation: new Map<string, Receiver>(), destination: new Map<string, Receiver>() }
    const add = ([kind, id, document, sealed]: ReceiverRow): Effect.Effect<unknown> =>
      kind === "automation"
        ? Effect.mapEager(automations.opened({ document, id, sealed }), (automation) =>
            known.automation.set(automation.id, receiverOfAutomation(automation))
          )
        : Effect.mapEager(destinations.opened({ document, id, sealed }), (destination) =>
            known.destination.set(destination.id, receiverOfDestination(destination))
          )
    return Effect.mapEager(forEachEager(found, add), () => known)
  }

  const claimOf = (row: ClaimedRow, delivery: Delivery, known: Receivers): Effect.Effect<Claim> => {
    // A known result stays known, even if a worker was lost before it recorded the result.
    if (row.held !== null) {
      return Effect.map(
        texts.readHeld(row.delivery[0], row.held),
        (result) => new StoredClaim({ delivery, reason: "answered", result, receiver: null }, row)
      )
    }
    if (row.wasLeased)
      return Effect.succeed(new StoredClaim({ delivery, reason: "lost", result: null, receiver: null }, row))
    const { automationId, destinationId } = delivery
    const found = automationId === null ? known.destination.get(destinationId!) : known.automation.get(automationId)
    const receiver = found === undefined ? null : automationId === null ? found : addressedTo(found, delivery)
    return Effect.succeed(new StoredClaim({ delivery, reason: "due", result: null, receiver }, row))
  }

  const claimsOf = Effect.fnUntraced(function* (claimed: ClaimedRows) {
    const deliveries = yield* rows.queued(claimed.deliveries.map(({ delivery }) => delivery))
    const known = yield* receiversOf(claimed.receivers)
    return yield* forEachEager(claimed.deliveries, (row, index) => claimOf(row, deliveries[index]!, known))
  })

  const claimAlone = Effect.fnUntraced(function* (row: ClaimedRow, receivers: ClaimedRows["receivers"]) {
    const [delivery] = yield* rows.queued([row.delivery])
    const { automationId, destinationId } = delivery!
    const known = yield* receiversOf(receivers.filter(([, id]) => id === (automationId ?? destinationId)))
    return [yield* claimOf(row, delivery!, known)]
  })

  /** An unreadable delivery, or one of an unreadable receiver, is left to its lease's end: the others are sent. */
  const readableOf = Effect.fnUntraced(function* ({ deliveries, receivers }: ClaimedRows) {
    const claims: Array<Claim> = []
    for (const row of deliveries) {
      const alone = unlessUnreadable(claimAlone(row, receivers), (unreadable) =>
        Effect.as(Effect.logError("A delivery could not be claimed", unreadable), [])
      )
      claims.push(...(yield* alone))
    }
    return claims
  })

  return Effect.fnUntraced(function* (options: ClaimOptions): Effect.fn.Return<ReadonlyArray<Claim>, SqlError> {
    const claimed = yield* claimDue(options)
    if (claimed.deliveries.length === 0) return []
    yield* agendaTaken
    return yield* unlessUnreadable(claimsOf(claimed), () => readableOf(claimed))
  })
}

const unlessUnreadable = <A, E, B, E2>(
  read: Effect.Effect<A, E>,
  otherwise: (unreadable: RowUnreadable) => Effect.Effect<B, E2>
) => Effect.catchDefect(read, (defect) => (defect instanceof RowUnreadable ? otherwise(defect) : Effect.die(defect)))
