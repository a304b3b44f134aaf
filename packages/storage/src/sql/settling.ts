import type { Claim } from "@tapedeck/core"
import type { Delivery, Instant } from "@tapedeck/domain"
import { Effect, Exit } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type AttemptTexts, customNamesOf } from "./attempts.ts"
import type { DeliveryRows } from "./deliveryRows.ts"
import { type AttemptRow, type DeliveryWrites, type DuePlace, type SettledRow, stateColumns } from "./deliveryWrites.ts"
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
  readonly placeOf: (state: Delivery["state"]) => Effect.Effect<DuePlace, SqlError>
}

/** One that is about to be written. */
interface Proposal {
  readonly claim: Claim
  readonly index: number
  readonly row: ReadRow
  readonly delivery: Delivery
}

const notOurs = Exit.succeed(null)

/**
 * Settles claims, many at once, inside a transaction. Each is first written as if its delivery still were as it was
 * claimed, which almost all are; only the others are read again. What `after` dies of is that claim's own affair.
 */
export const makeSettling = ({ placeOf, rows, texts, writes }: SettlingParts) => {
  const proposed = ({ after, at, claim }: Settlement, index: number, row: ReadRow): Proposal | Exit.Exit<never> => {
    try {
      return { claim, index, row, delivery: after(row.delivery, at) }
    } catch (defect) {
      return Exit.die(defect)
    }
  }

  /** The row as it now is, if it is still in this claim's hand. */
  const stillInHand = ({ delivery: { id }, fence }: Claim) =>
    Effect.map(rows.inHandById(id), (row) =>
      row?.fence === fence && row.delivery.state._tag === "Attempting" ? row : undefined
    )

  /** What the log is to have of it. */
  const linesOf = Effect.fnUntraced(function* ({ claim, delivery, row }: Proposal) {
    const lines: Array<AttemptRow> = []
    const custom = customNamesOf(claim)
    for (let place = row.delivery.attempts.length; place < delivery.attempts.length; place++) {
      lines.push([row.sequence, place, yield* texts.encode(delivery.attempts[place]!, delivery.body, custom)])
    }
    return lines
  })

  /** Writes and answers what still is as its row said; gives the rest. */
  const write = Effect.fnUntraced(function* (
    proposals: ReadonlyArray<Proposal>,
    answer: (index: number, exit: Exit.Exit<Delivery | null>) => void
  ) {
    const settled: Array<SettledRow> = []
    for (const { delivery, row } of proposals) {
      const due = yield* placeOf(delivery.state)
      settled.push([...stateColumns(delivery), ...due, row.sequence, row.fence, row.stateText])
    }
    const isWritten = yield* writes.settle(settled, yield* Effect.forEach(proposals, linesOf))
    const written = proposals.filter((_, index) => isWritten[index])
    for (const { delivery, index } of written) answer(index, Exit.succeed(delivery))
    return proposals.filter((_, index) => !isWritten[index])
  })

  return Effect.fnUntraced(function* (
    settlements: ReadonlyArray<Settlement>
  ): Effect.fn.Return<ReadonlyArray<Exit.Exit<Delivery | null>>, SqlError> {
    const answers: Array<Exit.Exit<Delivery | null>> = settlements.map(() => notOurs)
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
    let left = [...unknown, ...(yield* write(known, answer)).map(({ index }) => index)]
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
      left = (yield* write(readAgain, answer)).map(({ index }) => index)
    }
    return answers
  })
}
