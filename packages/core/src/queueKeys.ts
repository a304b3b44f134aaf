import type { AccountId, AutomationId, Delivery, DestinationId } from "@tapedeck/domain"

/**
 * Names a queue of deliveries: an account's first attempts at one receiver, or its retries there. An attempt that was lost with
 * its worker keeps its key.
 */
export interface QueueKey {
  readonly accountId: AccountId
  /** The delivery's automation or audit destination, which belongs to that account alone. */
  readonly receiver: AutomationId | DestinationId
  readonly isFirstAttempt: boolean
}

/**
 * Says how many deliveries a claim takes of each queue. It is given the keys of all queues in which something is due, by
 * account, then receiver, first attempts before retries. Pure: it may be called again.
 */
export type Allocate = (keys: ReadonlyArray<QueueKey>) => ReadonlyArray<number>

/** The key of the queue that a delivery waits in. */
export const queueKeyOf = ({ accountId, automationId, destinationId, state }: Delivery): QueueKey => ({
  accountId,
  // Each delivery has one of them.
  receiver: (automationId ?? destinationId)!,
  isFirstAttempt: isFirst(state)
})

/** Whether a delivery waits for its first attempt, or that attempt is in flight. */
export const isFirst = (state: Delivery["state"]): boolean =>
  state._tag === "Scheduled" || (state._tag === "Attempting" && state.attempt === 1)

/** Of all that is due, each with its queue's key: what `allocate` lets a claim take, in the given order. */
export const allocated = <Row extends { readonly key: QueueKey }>(
  due: ReadonlyArray<Row>,
  allocate: Allocate
): ReadonlyArray<Row> => {
  const queues = new Map<string, { readonly key: QueueKey; take: number }>()
  for (const { key } of due) queues.set(textOf(key), { key, take: 0 })
  const inOrder = [...queues.values()].sort((a, b) => compareKeys(a.key, b.key))
  allocate(inOrder.map(({ key }) => key)).forEach((take, index) => {
    inOrder[index]!.take = take
  })
  return due.filter(({ key }) => queues.get(textOf(key))!.take-- > 0)
}

const textOf = ({ accountId, isFirstAttempt, receiver }: QueueKey) => `${accountId} ${receiver} ${isFirstAttempt}`

const compareKeys = (a: QueueKey, b: QueueKey): number =>
  a.accountId - b.accountId ||
  (a.receiver < b.receiver ? -1 : a.receiver > b.receiver ? 1 : Number(b.isFirstAttempt) - Number(a.isFirstAttempt))
