import type { Delivery } from "@tapedeck/domain"
import type { Allocate, QueueKey } from "@tapedeck/domain/delivery"

/** The key of the queue that a delivery waits in. */
export const queueKeyOf = ({ accountId, automationId, destinationId, state }: Delivery): QueueKey => ({
  accountId,
  // Each delivery has one of them.
  receiver: (automationId ?? destinationId)!,
  isFirstAttempt: isFirst(state)
})

/** Returns whether a delivery waits for its first attempt, or that attempt is in flight. */
export const isFirst = (state: Delivery["state"]): boolean =>
  state._tag === "Scheduled" || (state._tag === "Attempting" && state.attempt === 1)

/** The due rows that `allocate` lets a claim take, in the given order. */
export const allocated = <Row extends { readonly key: QueueKey }>(
  due: ReadonlyArray<Row>,
  allocate: Allocate
): ReadonlyArray<Row> => {
  const queues = new Map<string, { readonly key: QueueKey; count: number }>()
  for (const { key } of due) queues.set(textOf(key), { key, count: 0 })
  const inOrder = [...queues.values()].sort((a, b) => compareKeys(a.key, b.key))
  allocate(inOrder.map(({ key }) => key)).forEach((count, index) => {
    inOrder[index]!.count = count
  })
  return due.filter(({ key }) => queues.get(textOf(key))!.count-- > 0)
}

const textOf = ({ accountId, isFirstAttempt, receiver }: QueueKey) => `${accountId} ${receiver} ${isFirstAttempt}`

const compareKeys = (a: QueueKey, b: QueueKey): number =>
  a.accountId - b.accountId ||
  (a.receiver < b.receiver ? -1 : a.receiver > b.receiver ? 1 : Number(b.isFirstAttempt) - Number(a.isFirstAttempt))
