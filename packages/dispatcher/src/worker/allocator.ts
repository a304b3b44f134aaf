import type { Allocate, QueueKey } from "@tapedeck/domain/delivery"
import type { Host } from "./Host.ts"
import { accountShare, type InFlight } from "./InFlight.ts"

/**
 * Creates an allocator, which divides the free slots, and then the room for prefetching, in fair shares: one to each account in turn, and
 * within an account one to each of its queues in turn.
 */
export const makeAllocator = (inFlight: InFlight) => {
  /** The account that was served last, and the number of claims that served any. */
  let turn = { account: Number.NEGATIVE_INFINITY, count: 0 }
  let proposed = { turn, allocated: 0, queues: 0 }

  /** Allocates for a claim. It can be called repeatedly: the next turn starts with `claimed`. */
  const allocate: Allocate = (keys) => {
    const takes = keys.map(() => 0)
    const accounts = accountsOf(keys, inFlight, turn.count)
    let { free, room } = inFlight
    let { prefetchRoom } = inFlight.all
    let last = turn.account

    /** Takes one delivery of the account's next queue whose host has room. */
    const take = (one: AccountQueues, of: "slots" | "prefetch"): boolean => {
      for (let tried = 0; tried < one.queues.length && room > 0; tried++) {
        const { host, index } = one.queues[one.next++ % one.queues.length]!
        if (host[of] <= 0) continue
        host[of]--
        room--
        takes[index]!++
        last = one.account
        return true
      }
      return false
    }
    const takeSlot = (one: AccountQueues): boolean => {
      if (free <= 0 || one.active >= accountShare * free || !take(one, "slots")) return false
      free--
      one.active++
      return true
    }
    /** Prefetches for an account. If slots do not suffice for all accounts, nothing is prefetched before an account whose turn for a slot comes first. */
    const takePrefetch = (one: AccountQueues): boolean => {
      if (prefetchRoom > 0 && take(one, "prefetch")) return prefetchRoom-- > 0
      if (free <= 0 && one.queues.some(({ host }) => host.slots > 0)) prefetchRoom = 0
      return false
    }

    for (const takeOne of [takeSlot, takePrefetch]) {
      // The account after the one that was served last comes first.
      let inTurn = [true, false].flatMap((isFirst) => accounts.filter(({ account }) => account > last === isFirst))
      while (inTurn.length > 0) inTurn = inTurn.filter(takeOne)
    }
    const allocated = takes.reduce((sum, count) => sum + count, 0)
    proposed = { turn: { account: last, count: turn.count + 1 }, allocated, queues: keys.length }
    return takes
  }

  /**
   * Records that the last allocation claimed `count` deliveries. Returns whether more may be due, and the room for which the next claim waits:
   * room for one if a queue had fewer deliveries than its allocation, room for as many again if it had all.
   */
  const claimed = (count: number): { readonly isBacklog: boolean; readonly roomWanted: number } => {
    const { allocated, queues } = proposed
    if (count > 0) turn = proposed.turn
    if (count > 0 && count < allocated && queues > 1) return { isBacklog: true, roomWanted: 1 }
    const isBacklog = queues > 0 && count === allocated
    return { isBacklog, roomWanted: isBacklog && count > 0 ? count : Number.POSITIVE_INFINITY }
  }

  return { allocate, claimed }
}

type AccountQueues = ReturnType<typeof accountsOf>[number]

/** Returns the queues of each account, starting with another one each time. Queues of one host share its room. */
const accountsOf = (keys: ReadonlyArray<QueueKey>, inFlight: InFlight, count: number) => {
  const rooms = new Map<Host, { slots: number; prefetch: number }>()
  const roomOf = (key: QueueKey) => {
    const host = inFlight.hostOf(key.receiver)
    const room = rooms.get(host) ?? { slots: host.room, prefetch: host.prefetchRoom }
    rooms.set(host, room)
    return room
  }
  const byAccount = Map.groupBy(keys.entries(), ([, { accountId }]) => accountId)
  return Array.from(byAccount, ([account, entries]) => ({
    account,
    queues: entries.map(([index, key]) => ({ index, host: roomOf(key) })),
    next: count % entries.length,
    active: inFlight.activeOf(account)
  }))
}
