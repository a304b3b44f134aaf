import type { AccountId, AutomationId, Delivery, DestinationId } from "@tapedeck/domain"

/**
 * What waits for the same: an account's first attempts at one receiver, or its retries there. An attempt whose worker never came
 * back waits where it waited before.
 */
export interface Lane {
  readonly accountId: AccountId
  /** The delivery's automation or audit destination, which is of that account alone. */
  readonly receiver: AutomationId | DestinationId
  readonly first: boolean
}

/**
 * Shares a crowd out. It is given every lane that something is due in, by account, then receiver, first attempts before the
 * rest, and says how many to take of each. Pure: it may be asked again.
 */
export type Share = (lanes: ReadonlyArray<Lane>) => ReadonlyArray<number>

/** The lane that a delivery waits in. */
export const laneOf = ({ accountId, automationId, destinationId, state }: Delivery): Lane => ({
  accountId,
  // Each delivery has one of them.
  receiver: (automationId ?? destinationId)!,
  first: isFirst(state)
})

/** Whether a delivery waits for its first attempt, or has it under way. */
export const isFirst = (state: Delivery["state"]): boolean =>
  state._tag === "Scheduled" || (state._tag === "Attempting" && state.attempt === 1)

/** Of all that is due, each with its lane, what `share` lets be taken; in the order that it has. */
export const sharedOut = <Row extends { readonly lane: Lane }>(
  due: ReadonlyArray<Row>,
  share: Share
): ReadonlyArray<Row> => {
  const takes = new Map<string, { readonly lane: Lane; take: number }>()
  for (const { lane } of due) takes.set(keyOf(lane), { lane, take: 0 })
  const lanes = [...takes.values()].sort((a, b) => compareLanes(a.lane, b.lane))
  share(lanes.map(({ lane }) => lane)).forEach((take, index) => {
    lanes[index]!.take = take
  })
  return due.filter(({ lane }) => takes.get(keyOf(lane))!.take-- > 0)
}

const keyOf = ({ accountId, first, receiver }: Lane) => `${accountId} ${receiver} ${first}`

const compareLanes = (a: Lane, b: Lane): number =>
  a.accountId - b.accountId ||
  (a.receiver < b.receiver ? -1 : a.receiver > b.receiver ? 1 : Number(b.first) - Number(a.first))
