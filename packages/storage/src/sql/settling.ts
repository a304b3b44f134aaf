import type { Claim } from "@tapedeck/core"
import type { Delivery, Instant } from "@tapedeck/domain"
import { Effect, Exit } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type AttemptTexts, customNamesOf } from "./attempts.ts"
import { type DeliveryRows, endOf } from "./deliveryRows.ts"
import { type DeliveryWrites, type DuePlace, queuedState, type SettledRow } from "./deliveryWrites.ts"
import { forEachEager } from "./eager.ts"
import { ClaimInHand, type ReadRow } from "./inHand.ts"

/** What is to become of a claimed delivery. */
export interface Settlement {
  readonly claim: Claim
  readonly after: (delivery: Delivery, at: Instant) => Delivery
  readonly at: Instant
}

export interface SettlingParts {
  readonly rows: DeliveryRows
  readonly writes: DeliveryWrites
  readonly texts: AttemptTexts
  /** Its next attempt's place in the queue; undefined for what has ended. */
  readonly placeOf: (state: Delivery["state"]) => Effect.Effect<DuePlace | undefined, SqlError>
}

/** One that is about to be written. */
interface Proposal {
  readonly claim: Claim
  readonly index: number
  readonly row: ReadRow
  readonly delivery: Delivery
}

const notOurs = Exit.succeed(null)

/** `deliveries` is not written where the attempt says how it ended. */
const toldByAttempt = [null, null] as const

/**
 * Settles claims, many at once, inside a transaction. Each is first written as if its delivery still were as it was
 * claimed, which almost all are; only the others are read again. What `after` dies of is that claim's own affair.
 */
export const makeSettling = ({ placeOf, rows, texts, writes }: SettlingParts) => {
  const proposed = ({ after, at, claim }: Settlement, index: number, row: ReadRow): Proposal | Exit.Exit<never> => {
    try {
      const delivery = after(row.delivery, at)
      // The log gets one line of a claim: more would be counted, and not be there.
      if (delivery.attempts.length > row.delivery.attempts.length + 1)
        return Exit.die(new Error("a claim was settled with more attempts than its own"))
      return { claim, index, row, delivery }
    } catch (defect) {
      return Exit.die(defect)
    }
  }

  /** The row as it now is, if it is still in this claim's hand. */
  const stillInHand = ({ delivery: { id }, fence }: Claim) =>
    Effect.map(rows.queuedById(id), (row) =>
      row?.fence === fence && row.delivery.state._tag === "Attempting" ? row : undefined
    )

  /** What the log is to have of it: the attempt that it has come to, if it was one. */
  const lineOf = ({ claim, delivery, row }: Proposal): Effect.Effect<SettledRow["line"]> => {
    const place = row.delivery.attempts.length
    const attempt = delivery.attempts[place]
    if (attempt === undefined) return Effect.undefined
    const { state } = delivery
    const deliveredAt = state._tag === "Delivered" ? state.at : null
    return Effect.mapEager(texts.encode(attempt, customNamesOf(claim)), (text) => [place, text, deliveredAt] as const)
  }

  const becomes = (delivery: Delivery, line: SettledRow["line"]): Effect.Effect<SettledRow["becomes"], SqlError> => {
    const [as, at] = endOf(delivery.state)
    if (as !== null) return Effect.succeed({ ended: line === undefined || line[2] === null ? [as, at] : toldByAttempt })
    return Effect.flatMap(placeOf(delivery.state), (due) =>
      due === undefined
        ? Effect.die(new Error("a claim was settled as one that is under way"))
        : Effect.succeed({ queued: queuedState(delivery), due })
    )
  }

  const settledOf = (proposal: Proposal): Effect.Effect<SettledRow, SqlError> =>
    Effect.flatMapEager(lineOf(proposal), (line) =>
      Effect.mapEager(becomes(proposal.delivery, line), (becomes) => ({ taken: proposal.row, becomes, line }))
    )

  /** Writes and answers what still is as its row said; gives the places of the rest. */
  const write = Effect.fnUntraced(function* (
    proposals: ReadonlyArray<Proposal>,
    answer: (index: number, exit: Exit.Exit<Delivery | null>) => void
  ) {
    const settled = yield* forEachEager(proposals, settledOf)
    const isWritten = yield* writes.settle(settled)
    const left: Array<number> = []
    for (const [place, { delivery, index }] of proposals.entries()) {
      if (isWritten[place]) answer(index, Exit.succeed(delivery))
      else left.push(index)
    }
    return left
  })

  return Effect.fnUntraced(function* (
    settlements: ReadonlyArray<Settlement>
  ): Effect.fn.Return<ReadonlyArray<Exit.Exit<Delivery | null>>, SqlError> {
    const answers = new Array<Exit.Exit<Delivery | null>>(settlements.length).fill(notOurs)
    const answer = (index: number, exit: Exit.Exit<Delivery | null>) => {
      answers[index] = exit
    }

    const known: Array<Proposal> = []
    const unknown: Array<number> = []
    for (const [index, settlement] of settlements.entries()) {
      const row = ClaimInHand.rowOf(settlement.claim)
      const one = row === undefined ? undefined : proposed(settlement, index, row)
      if (one === undefined || Exit.isExit(one)) unknown.push(index)
      else known.push(one)
    }
    let left = [...unknown, ...(yield* write(known, answer))]
    while (left.length > 0) {
      const readAgain: Array<Proposal> = []
      for (const index of left) {
        const settlement = settlements[index]!
        const row = yield* stillInHand(settlement.claim)
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
