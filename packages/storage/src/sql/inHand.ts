import type { Claim } from "@tapedeck/core"
import type { Delivery } from "@tapedeck/domain"
import type { TakenRow } from "./deliveryWrites.ts"

/** What the row of a delivery in hand said. */
export interface ReadRow extends TakenRow {
  readonly delivery: Delivery
}

/**
 * A claim that remembers the row that it was made of, so that who settles it need not read that again. The row says then
 * whether it is still so: nothing of a delivery in hand changes but its state.
 */
export class ClaimInHand implements Claim {
  readonly delivery: Delivery
  readonly fence: number
  readonly reason: Claim["reason"]
  readonly result: Claim["result"]
  readonly receiver: Claim["receiver"]
  readonly #row: ReadRow

  constructor({ delivery, fence, reason, receiver, result }: Claim, sequence: number, stateText: string) {
    this.delivery = delivery
    this.fence = fence
    this.reason = reason
    this.result = result
    this.receiver = receiver
    this.#row = { sequence, fence, stateText, delivery }
  }

  /** Undefined for a claim that is of another making. */
  static rowOf(claim: Claim): ReadRow | undefined {
    return #row in claim ? claim.#row : undefined
  }
}
