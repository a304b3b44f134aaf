import type { Delivery, Instant } from "@tapedeck/domain"
import type { Claim } from "@tapedeck/domain/delivery"
import { type AttemptTally, tallyOf } from "@tapedeck/domain/internal/delivery"
import { Effect, Exit, type Fiber } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { forEachEager } from "../database/forEachEager.ts"
import { type AttemptTexts, customNamesOf } from "./attempts.ts"
import { StoredClaim } from "./claim.ts"
import type { Batching, DeliveryPort, Outcome } from "./DeliveryPort.ts"
import { type DeliveryRows, type DuePlace, endOf, type QueuedDelivery, queuedState } from "./rows.ts"

/** New state of a claimed delivery. */
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

/** `deliveries` is not written if the attempt's row shows how the delivery ended. */
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

/** Maximum items of a batch, which limits how long the first one waits for the last. */
const maxBatch = 256

/** Maximum size of a batch after which there is no pause: the next items are few too. */
const smallBatch = 2
/** Minimum number of waiting items with which there is no pause. */
const minBatchWithoutPause = 32

interface Waiting<Item, A> {
  readonly item: Item
  readonly resume: (exit: Exit.Exit<A>) => void
}

/**
 * Runs `all` for batches of concurrent calls: the calls of one turn of the event loop, then those that came meanwhile. `all`
 * returns an exit for each item in order; if it fails, every item of the batch fails. A call waits for its exit and cannot be
 * interrupted.
 */
export const batched = <Item, A>(
  all: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Exit.Exit<A>>>,
  { concurrency, pause }: Batching
): ((item: Item, caller: Fiber.Fiber<unknown, unknown>) => Effect.Effect<A>) => {
  let waiting: Array<Waiting<Item, A>> = []
  let running = 0

  const run = Effect.gen(function* () {
    // Fibers that are ready to run join the batch.
    yield* Effect.yieldNow
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch)
      waiting = waiting.slice(maxBatch)
      const exit = yield* Effect.exit(all(batch.map(({ item }) => item)))
      for (const [index, { resume }] of batch.entries()) {
        resume(Exit.isSuccess(exit) ? exit.value[index]! : Exit.failCause(exit.cause))
      }
      // The other running batch takes what is left, unless it is a full batch.
      if (running > 1 && waiting.length < maxBatch) break
      if (batch.length > smallBatch && waiting.length < minBatchWithoutPause) yield* pause
    }
    running--
  })

  return (item, { context }) =>
    Effect.uninterruptible(
      Effect.callback<A>((resume) => {
        waiting.push({ item, resume })
        if (running >= concurrency || (running > 0 && waiting.length < maxBatch)) return
        running++
        Effect.runForkWith(context)(run)
      })
    )
}

/** A counter that outcomes of a batch add to. */
export type TallyGroup = Pick<AttemptTally, "accountId" | "hour" | "receiver" | "measure">

/** The counters of a batch, and for each tally the index of its counter; null for an outcome without one. */
export const groupTallies = (tallies: ReadonlyArray<AttemptTally | undefined>) => {
  const groups: Array<TallyGroup> = []
  const byKey = new Map<string, number>()
  const indexes = tallies.map((tally) => {
    if (tally === undefined) return null
    const key = `${tally.accountId} ${tally.hour} ${tally.measure} ${tally.receiver}`
    const known = byKey.get(key)
    if (known !== undefined) return known
    byKey.set(key, groups.length)
    return groups.push(tally) - 1
  })
  return { groups, indexes }
}

/** Effect of a batch's attempts on the health of one receiver, in their order. */
export interface HealthChange extends Pick<AttemptTally, "accountId" | "receiver"> {
  /** Null: none succeeded. */
  lastSuccessAt: number | null
  /** The first of the failures after the last success, and how many there are. */
  failingSince: number | null
  failures: number
  lastAt: number
}

export const healthChanges = (tallies: ReadonlyArray<AttemptTally>): ReadonlyArray<HealthChange> => {
  const changes = new Map<string, HealthChange>()
  for (const { accountId, at, isSuccess, receiver } of tallies) {
    const key = `${accountId} ${receiver}`
    const none = { accountId, receiver, lastSuccessAt: null, failingSince: null, failures: 0, lastAt: at }
    const change: HealthChange = changes.get(key) ?? none
    changes.set(key, change)
    change.lastAt = Math.max(change.lastAt, at)
    change.lastSuccessAt = isSuccess ? at : change.lastSuccessAt
    change.failingSince = isSuccess ? null : (change.failingSince ?? at)
    change.failures = isSuccess ? 0 : change.failures + 1
  }
  return [...changes.values()]
}
