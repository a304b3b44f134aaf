import type { AccountId } from "../ids.ts"
import { type JobKind, type JobPool, jobKinds } from "./Job.ts"

/**
 * Returns the key of the queue of a job: one for each pool and account, and one for each of its sites, whose jobs strangers cause. Queues
 * take turns. Without an account: the work for all accounts.
 */
export const queueKeyOf = (kind: JobKind, accountId: AccountId | null, siteId: string | null = null): string =>
  `${jobKinds[kind].pool}:${accountId ?? ""}:${siteId ?? ""}`

/** The steps of one queue run one after another, in due order. */
const serialPools: ReadonlySet<JobPool> = new Set(["step"])

/** Returns whether the jobs of the queue run one after another. */
export const isSerialQueue = (queueKey: string): boolean => serialPools.has(poolOfQueue(queueKey))

export const poolOfQueue = (queueKey: string): JobPool => queueKey.slice(0, queueKey.indexOf(":")) as JobPool

/** Returns the site of a queue; null for the queue of an account. */
export const siteOfQueue = (queueKey: string): string | null => queueKey.slice(queueKey.lastIndexOf(":") + 1) || null

/** The jobs of an account in one pool. */
const accountOf = (queueKey: string): string => queueKey.slice(0, queueKey.lastIndexOf(":"))

/** A queue that has jobs. */
export interface JobQueue {
  readonly key: string
  /** Time at which the longest-waiting job became available; null if there is none. */
  readonly availableAt: number | null
  /** Number of claimed jobs of the queue. */
  readonly claimed: number
}

/** Returns the keys under which the order of claims is recorded: of the account, and of the queue. */
export const claimKeysOf = (queueKey: string): readonly [account: string, queue: string] => [
  accountOf(queueKey),
  queueKey
]

/** The number of jobs to claim of each pool. */
export type FreeSlots = Readonly<Partial<Record<JobPool, number>>>

/**
 * Returns the queue whose first job is claimed next. A free slot goes to the account with the fewest claimed jobs of the pool; on a tie, to
 * the one whose last claim is the oldest. The queue of that account is selected in the same way. `lastClaim` returns the number of the last
 * claim of an account or a queue in the order of all claims; 0 before the first.
 */
export const nextQueue = (
  queues: ReadonlyArray<JobQueue>,
  slots: FreeSlots,
  lastClaim: (key: string) => number
): JobQueue | undefined => {
  const claimedOf = new Map<string, number>()
  for (const { claimed, key } of queues) claimedOf.set(accountOf(key), (claimedOf.get(accountOf(key)) ?? 0) + claimed)
  const waiting = queues.flatMap((queue) => {
    const { availableAt, claimed, key } = queue
    const isBusy = claimed > 0 && isSerialQueue(key)
    if (availableAt === null || isBusy || (slots[poolOfQueue(key)] ?? 0) <= 0) return []
    const account = accountOf(key)
    const rank = [claimedOf.get(account)!, lastClaim(account), claimed, lastClaim(key), availableAt]
    return [{ queue, rank }]
  })
  const difference = (a: ReadonlyArray<number>, b: ReadonlyArray<number>) =>
    a.map((value, index) => value - b[index]!).find((value) => value !== 0) ?? 0
  const order = waiting.sort((a, b) => difference(a.rank, b.rank) || (a.queue.key < b.queue.key ? -1 : 1))
  return order[0]?.queue
}
