import type { AccountId, Instant } from "@tapedeck/domain"
import {
  type AttemptTally,
  type CountedReceiver,
  healthAfter,
  type ReceiverHealth,
  unknownHealth
} from "@tapedeck/domain/internal/delivery"
import type { HourCount, ReceiverCount, StatisticsFilter, Store } from "../Store.ts"
import type { MemoryState } from "./MemoryState.ts"
import type { AttemptCount, CountKey, Draft, WorldState } from "./WorldState.ts"

const healthKey = (accountId: AccountId, receiver: CountedReceiver): string => `${accountId} ${receiver}`

export const countAttempt = (draft: Draft, tally: AttemptTally) => {
  const { accountId, at, hour, measure, receiver } = tally
  const key: CountKey = { accountId, hour, receiver, measure }
  const attempts = (draft.state.attemptCounts.get(key)?.attempts ?? 0) + 1
  draft.edit("attemptCounts").set(key, { ...key, attempts })
  const named = healthKey(accountId, receiver)
  const health = healthAfter(draft.state.receiverHealth.get(named)?.health ?? unknownHealth, tally)
  draft.edit("receiverHealth").set(named, { accountId, receiver, health, lastAt: at })
}

const countsOf = function* (state: WorldState, { accountId, receiver, since, until }: StatisticsFilter) {
  const from: CountKey = { accountId, hour: since, receiver: "" as CountedReceiver, measure: 0 }
  for (const [, count] of state.attemptCounts.entries(from)) {
    if (count.accountId !== accountId || count.hour >= until) return
    if (receiver === undefined || count.receiver === receiver) yield count
  }
}

const summed = <Key>(counts: Iterable<AttemptCount>, keyOf: (count: AttemptCount) => Key) => {
  const sums = new Map<Key, Map<number, number>>()
  for (const count of counts) {
    const key = keyOf(count)
    const measures = sums.get(key) ?? new Map<number, number>()
    sums.set(key, measures.set(count.measure, (measures.get(count.measure) ?? 0) + count.attempts))
  }
  return [...sums].flatMap(([key, measures]) =>
    [...measures].map(([measure, attempts]) => [key, measure, attempts] as const)
  )
}

const countsByHour = (state: WorldState, filter: StatisticsFilter): ReadonlyArray<HourCount> =>
  summed(countsOf(state, filter), ({ hour }) => hour)

const countsByReceiver = (state: WorldState, filter: StatisticsFilter): ReadonlyArray<ReceiverCount> =>
  summed(countsOf(state, filter), ({ receiver }) => receiver)

const healthOf = (
  state: WorldState,
  accountId: AccountId,
  receiver?: CountedReceiver
): ReadonlyMap<CountedReceiver, ReceiverHealth> => {
  const rows =
    receiver === undefined
      ? state.receiverHealth.valuesArray().filter((row) => row.accountId === accountId)
      : [state.receiverHealth.get(healthKey(accountId, receiver)) ?? []].flat()
  return new Map(rows.map((row) => [row.receiver, row.health]))
}

const pruneStatistics = (draft: Draft, accountId: AccountId, before: Instant) => {
  for (const count of draft.state.attemptCounts.valuesArray()) {
    if (count.accountId === accountId && count.hour < before) draft.edit("attemptCounts").delete(count)
  }
  for (const [key, row] of draft.state.receiverHealth.toArray()) {
    if (row.accountId === accountId && row.lastAt < before) draft.edit("receiverHealth").delete(key)
  }
}

/** Statistics in memory. */
export const statisticsRepository = ({ read, write }: MemoryState): Pick<Store, "statistics"> => ({
  statistics: {
    byHour: (filter) => read((state) => countsByHour(state, filter)),
    byReceiver: (filter) => read((state) => countsByReceiver(state, filter)),
    health: (accountId, receiver) => read((state) => healthOf(state, accountId, receiver)),
    prune: (accountId, before) => write((draft) => pruneStatistics(draft, accountId, before))
  }
})
