import type { AttemptTally } from "@tapedeck/domain"

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

/** How the attempts of a batch change the health of one receiver, in their order. */
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
