import { type QueueKey, queueKeyOf } from "@tapedeck/core"
import type { Hands } from "./Hands.ts"
import type { Attempt } from "./underWay.ts"

/** What has waited for so long does not begin any more: its receiver stopped answering, or this process stood still. */
const longestWaitMs = 1_000

interface Waiting {
  readonly attempt: Attempt
  readonly lane: QueueKey
  /** Where it will go, as far as was known when it was claimed. */
  readonly host: string
  readonly since: number
}

/** What is claimed and waits for a hand: by receiver, which have their turns. */
export class Ahead {
  private readonly hands: Hands
  private readonly nowMs: () => number
  private readonly byReceiver = new Map<QueueKey["receiver"], Array<Waiting>>()

  constructor(hands: Hands, nowMs: () => number) {
    this.hands = hands
    this.nowMs = nowMs
  }

  add(attempt: Attempt) {
    const lane = queueKeyOf(attempt.claim.delivery)
    const queue = this.byReceiver.get(lane.receiver) ?? []
    if (queue.length === 0) this.byReceiver.set(lane.receiver, queue)
    queue.push({ attempt, lane, host: this.hands.wait(lane), since: this.nowMs() })
  }

  /** Takes the next one that a hand is free for. */
  next(): { readonly attempt: Attempt; readonly isLate: boolean } | undefined {
    for (const [receiver, queue] of this.byReceiver) {
      const first = queue[0]!
      if (!this.hands.admits(first.lane)) continue
      this.shift(queue)
      // Behind the others, if there are any.
      if (queue.length === 0 || this.byReceiver.size > 1) this.byReceiver.delete(receiver)
      if (queue.length > 0) this.byReceiver.set(receiver, queue)
      const { attempt } = first
      return { attempt, isLate: attempt.lease === "lost" || this.isLate(first) }
    }
    return undefined
  }

  /** Takes those that have waited for too long. */
  late(): ReadonlyArray<Attempt> {
    return this.taken((first) => this.isLate(first))
  }

  /** Takes all. */
  all(): ReadonlyArray<Attempt> {
    return this.taken(() => true)
  }

  private isLate({ since }: Waiting): boolean {
    return this.nowMs() - since >= longestWaitMs
  }

  private taken(isMeant: (first: Waiting) => boolean): ReadonlyArray<Attempt> {
    const taken: Array<Attempt> = []
    for (const [receiver, queue] of this.byReceiver) {
      while (queue.length > 0 && isMeant(queue[0]!)) taken.push(this.shift(queue))
      if (queue.length === 0) this.byReceiver.delete(receiver)
    }
    return taken
  }

  private shift(queue: Array<Waiting>): Attempt {
    const { attempt, host } = queue.shift()!
    this.hands.waited(host)
    return attempt
  }
}
