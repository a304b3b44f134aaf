import type { AttemptTally } from "@tapedeck/domain/internal/delivery"
import { Effect } from "effect"
import type { Statements } from "../../sql/database/statements.ts"
import type { DeliveryPort } from "../../sql/deliveries/DeliveryPort.ts"
import { requeue } from "../../sql/deliveries/rows.ts"
import { groupTallies, healthChanges } from "../../sql/deliveries/settle.ts"

/** The fence belongs to one claim. The state changes if the delivery is cancelled or ends meanwhile. */
const isUnchanged = "sequence = ? AND fence = ? AND state = ?"
const leaveQueue = `DELETE FROM delivery_queue WHERE ${isUnchanged}`
const endDelivery = "UPDATE deliveries SET ended_as = ?, ended_at = ? WHERE sequence = ?"
const insertAttempt = "INSERT INTO delivery_attempts (sequence, place, document, delivered_at) VALUES (?, ?, ?, ?)"

const addToCount = `
  INSERT INTO attempt_counts (account_id, hour, receiver, measure, attempts) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (account_id, hour, receiver, measure) DO UPDATE SET attempts = attempts + excluded.attempts`
const changeHealth = `
  INSERT INTO receiver_health (account_id, receiver, last_success_at, failing_since, failures, last_at)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (account_id, receiver) DO UPDATE SET
    failing_since = CASE WHEN excluded.last_success_at IS NULL
      THEN coalesce(failing_since, excluded.failing_since) ELSE excluded.failing_since END,
    failures = CASE WHEN excluded.last_success_at IS NULL THEN failures ELSE 0 END + excluded.failures,
    last_success_at = coalesce(excluded.last_success_at, last_success_at),
    last_at = max(last_at, excluded.last_at)`

/** Records outcomes with one prepared statement for each kind of write, which is run for each row. */
export const makeOutcomes = ({ changeEach }: Statements): Pick<DeliveryPort, "recordOutcomes" | "insertAttempts"> => {
  const insertAttempts: DeliveryPort["insertAttempts"] = (rows) => Effect.asVoid(changeEach(insertAttempt, rows))

  const count = Effect.fnUntraced(function* (tallies: ReadonlyArray<AttemptTally>) {
    if (tallies.length === 0) return
    const { groups, indexes } = groupTallies(tallies)
    const attempts = groups.map(() => 0)
    for (const index of indexes) attempts[index!]! += 1
    yield* changeEach(
      addToCount,
      groups.map(({ accountId, hour, measure, receiver }, index) => [
        accountId,
        hour,
        receiver,
        measure,
        attempts[index]!
      ])
    )
    yield* changeEach(
      changeHealth,
      healthChanges(tallies).map(({ accountId, failingSince, failures, lastAt, lastSuccessAt, receiver }) => [
        accountId,
        receiver,
        lastSuccessAt,
        failingSince,
        failures,
        lastAt
      ])
    )
  })

  const recordOutcomes: DeliveryPort["recordOutcomes"] = Effect.fnUntraced(function* (outcomes) {
    const ended = outcomes.filter(({ next }) => "ended" in next)
    const queued = outcomes.filter(({ next }) => "queued" in next)
    const left = yield* changeEach(
      leaveQueue,
      ended.map(({ row }) => [row.sequence, row.fence, row.stateText])
    )
    const requeued = yield* changeEach(
      `${requeue} WHERE ${isUnchanged}`,
      queued.map(({ next, row: { fence, sequence, stateText } }) =>
        "queued" in next ? [...next.queued, ...next.due, sequence, fence, stateText] : []
      )
    )
    const recorded = new Set([
      ...ended.filter((_, index) => left[index]! > 0),
      ...queued.filter((_, index) => requeued[index]! > 0)
    ])
    yield* changeEach(
      endDelivery,
      ended.flatMap((outcome) =>
        recorded.has(outcome) && "ended" in outcome.next && outcome.next.ended[0] !== null
          ? [[...outcome.next.ended, outcome.row.sequence]]
          : []
      )
    )
    yield* insertAttempts(
      outcomes.flatMap((outcome) =>
        recorded.has(outcome) && outcome.attempt ? [[outcome.row.sequence, ...outcome.attempt] as const] : []
      )
    )
    yield* count(outcomes.flatMap((outcome) => (recorded.has(outcome) ? (outcome.tally ?? []) : [])))
    return outcomes.map((outcome) => recorded.has(outcome))
  })

  return { recordOutcomes, insertAttempts }
}
