import { type Claim, type Delivery, type Instant, tallyOf } from "@tapedeck/domain"
import { Effect, Exit } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { forEachEager } from "../database/forEachEager.ts"
import { type AttemptTexts, customNamesOf } from "./attempts.ts"
import { StoredClaim } from "./claim.ts"
import type { DeliveryPort, Outcome } from "./DeliveryPort.ts"
import { type DeliveryRows, type DuePlace, endOf, type QueuedDelivery, queuedState } from "./rows.ts"

/** What a claimed delivery becomes. */
export interface Settlement {
  readonly claim: Claim
  readonly after: (delivery: Delivery, at: Instant) => Delivery
  readonly at: Instant
}

export interface SettleParts {
  readonly rows: DeliveryRows
  readonly recordOutcomes: DeliveryPort["recordOutcomes"]
  readonly texts: AttemptTexts
  /** The next attempt's place in the queue; undefined for a delivery that has ended. */
  readonly placeOf: (state: Delivery["state"]) => Effect.Effect<DuePlace | undefined, SqlError>
}

/** A settlement that is about to be written. */
interface Proposal {
  readonly claim: Claim
  readonly index: number
  readonly row: QueuedDelivery
  readonly delivery: Delivery
}

const claimLost = Exit.succeed(null)

/** `deliveries` is not written if the attempt's row says how the delivery ended. */
const endedByAttempt = [null, null] as const

/**
 * Settles a batch of claims, inside a transaction. Each is written on the assumption that its row is as it was claimed, as almost
 * all are; only the others are read again. An exception in `after` fails that settlement alone.
 */
export const makeSettle = ({ placeOf, recordOutcomes, rows, texts }: SettleParts) => {
  const proposed = (
    { after, at, claim }: Settlement,
    index: number,
    row: QueuedDelivery
  ): Proposal | Exit.Exit<never> => {
    try {
      const delivery = after(row.delivery, at)
      // One attempt is inserted for each claim: the count would not match the rows.
      if (delivery.attempts.length > row.delivery.attempts.length + 1)
        return Exit.die(new Error("a claim was settled with more attempts than its own"))
      return { claim, index, row, delivery }
    } catch (defect) {
      return Exit.die(defect)
    }
  }

  /** The delivery as it is now, if this claim still is the last one. */
  const stillClaimed = ({ delivery: { id }, fence }: Claim) =>
    Effect.map(rows.queuedById(id), (row) =>
      row?.fence === fence && row.delivery.state._tag === "Attempting" ? row : undefined
    )

  const attemptOf = ({ claim, delivery, row }: Proposal): Effect.Effect<Outcome["attempt"]> => {
    const place = row.delivery.attempts.length
    const attempt = delivery.attempts[place]
    if (attempt === undefined) return Effect.undefined
    const { state } = delivery
    const deliveredAt = state._tag === "Delivered" ? state.at : null
    return Effect.mapEager(texts.encode(attempt, customNamesOf(claim)), (text) => [place, text, deliveredAt] as const)
  }

  const nextOf = (delivery: Delivery, attempt: Outcome["attempt"]): Effect.Effect<Outcome["next"], SqlError> => {
    const [as, at] = endOf(delivery.state)
    if (as !== null)
      return Effect.succeed({ ended: attempt === undefined || attempt[2] === null ? [as, at] : endedByAttempt })
    return Effect.flatMap(placeOf(delivery.state), (due) =>
      due === undefined
        ? Effect.die(new Error("a claim was settled with a delivery in flight"))
        : Effect.succeed({ queued: queuedState(delivery), due })
    )
  }

  const outcomeOf = (proposal: Proposal): Effect.Effect<Outcome, SqlError> =>
    Effect.flatMapEager(attemptOf(proposal), (attempt) =>
      Effect.mapEager(nextOf(proposal.delivery, attempt), (next) => {
        const { delivery, row } = proposal
        return { row, next, attempt, tally: tallyOf(delivery, row.delivery.attempts.length) }
      })
    )

  /** Writes the proposals whose row is unchanged. Returns the indexes of the others. */
  const write = Effect.fnUntraced(function* (
    proposals: ReadonlyArray<Proposal>,
    answer: (index: number, exit: Exit.Exit<Delivery | null>) => void
  ) {
    const outcomes = yield* forEachEager(proposals, outcomeOf)
    const isRecorded = yield* recordOutcomes(outcomes)
    const left: Array<number> = []
    for (const [place, { delivery, index }] of proposals.entries()) {
      if (isRecorded[place]) answer(index, Exit.succeed(delivery))
      else left.push(index)
    }
    return left
  })

  return Effect.fnUntraced(function* (
    settlements: ReadonlyArray<Settlement>
  ): Effect.fn.Return<ReadonlyArray<Exit.Exit<Delivery | null>>, SqlError> {
    const answers = new Array<Exit.Exit<Delivery | null>>(settlements.length).fill(claimLost)
    const answer = (index: number, exit: Exit.Exit<Delivery | null>) => {
      answers[index] = exit
    }

    const known: Array<Proposal> = []
    const unknown: Array<number> = []
    for (const [index, settlement] of settlements.entries()) {
      const row = StoredClaim.rowOf(settlement.claim)
      const one = row === undefined ? undefined : proposed(settlement, index, row)
      if (one === undefined || Exit.isExit(one)) unknown.push(index)
      else known.push(one)
    }
    let left = [...unknown, ...(yield* write(known, answer))]
    while (left.length > 0) {
      const readAgain: Array<Proposal> = []
      for (const index of left) {
        const settlement = settlements[index]!
        const row = yield* stillClaimed(settlement.claim)
        if (row === undefined) continue
        const one = proposed(settlement, index, row)
        if (Exit.isExit(one)) answer(index, one)
        else readAgain.push(one)
      }
      left = yield* write(readAgain, answer)
    }
    return answers
  })
}
