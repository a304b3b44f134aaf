import type { Allocate, QueueKey } from "@tapedeck/core"
import { add } from "./counts.ts"
import { InHand } from "./InHand.ts"
import { accountShare, Round, type Turn } from "./Round.ts"

export interface HandLimits {
  /** How many attempts are in hand at a time. */
  readonly concurrency: number
  /** How many of them may be at one host: one that hangs does not occupy all. */
  readonly perHost: number
}

/** An attempt in hand. One is made for each attempt: a class, and no closures. */
export class Hand {
  private readonly lane: QueueKey
  private readonly inHand: InHand
  private readonly perHost: number
  private host: string | undefined
  private isOver = false

  constructor(lane: QueueKey, inHand: InHand, { perHost }: HandLimits) {
    this.lane = lane
    this.inHand = inHand
    this.perHost = perHost
    this.host = inHand.hostOf(lane.receiver)
    inHand.begin(lane, this.host)
  }

  /** Whether the attempt may go to this host; false where that has its limit in hand already. */
  admit(host: string): boolean {
    if (host !== this.host) {
      this.inHand.move(this.lane, this.host, host)
      this.host = host
    }
    return this.inHand.at(host) <= this.perHost
  }

  /** Its receiver has answered, or nothing is to come of it: the hand may take another while that is recorded. */
  answered() {
    if (this.isOver) return
    this.inHand.pace.ended(this.host ?? this.lane.receiver)
    this.letGo()
  }

  /** It is recorded. */
  free() {
    this.letGo()
    this.inHand.recorded()
  }

  private letGo() {
    if (this.isOver) return
    this.isOver = true
    this.inHand.end(this.lane, this.host)
  }
}

/** So many attempts wait at most for each hand that there is. */
const mostAhead = 4

/**
 * So many answers may wait to be recorded, or as many as there are hands where those are more: beyond that, hands wait for the
 * store, lest it were left behind. It records them by so many at a time.
 */
const mostUnrecorded = 256

/** A claim is for so many at most: while it is under way, what the one before it brought is made and recorded. */
const mostAtOnce = 512

/**
 * What a worker has in hand, and who gets what is free: of every account, and of each of its receivers, first attempts
 * and retries by turns. Pure bookkeeping.
 *
 * Of a host that answers quickly more may be claimed than there are hands: what waits then begins as a hand becomes free, and none
 * waits for a claim. It is as much as the host has answered of late, so it will have begun in some 25 ms, and of a host that
 * hangs it is nothing.
 */
export class Hands {
  private readonly limits: HandLimits
  private readonly inHand: InHand
  /** Who was served last, and what share that was: the next in turn comes first. */
  private turn: Turn = { account: Number.NEGATIVE_INFINITY, count: 0 }
  private proposed: Proposal = { turn: this.turn, dealt: 0, lanes: 0 }
  /** How many are claimed, and wait for a hand. */
  private waiting = 0
  private readonly waitingByHost = new Map<string, number>()

  constructor(limits: HandLimits, nowMs: () => number) {
    this.limits = limits
    this.inHand = new InHand(nowMs)
  }

  get free(): number {
    const { concurrency } = this.limits
    const { count, recording } = this.inHand
    return concurrency - count - Math.max(0, recording - Math.max(concurrency, mostUnrecorded))
  }

  /** How many may be claimed: a hand is free for each, or will be soon. */
  get room(): number {
    return Math.min(this.free + this.roomAhead, mostAtOnce)
  }

  /** Whether less than half waits of what may. */
  get isAheadLow(): boolean {
    return this.waiting < this.roomAhead
  }

  private get roomAhead(): number {
    return Math.max(0, Math.min(mostAhead * this.limits.concurrency, this.inHand.pace.total) - this.waiting)
  }

  /** Whether an attempt may begin: a hand is free for its account, and its host has room. */
  admits({ accountId, receiver }: QueueKey): boolean {
    const { free } = this
    if (free <= 0 || this.inHand.of(accountId) >= accountShare * free) return false
    return this.roomAt(this.hostOf(receiver)) > 0
  }

  /** An attempt waits for a hand; gives where it will go. */
  wait({ receiver }: QueueKey): string {
    const host = this.hostOf(receiver)
    this.waiting++
    add(this.waitingByHost, host, 1)
    return host
  }

  /** One that waited to go there does not any more. */
  waited(host: string) {
    this.waiting--
    add(this.waitingByHost, host, -1)
  }

  /** For `claim`: how many of each lane to take. Nobody has been served before `served` says so. */
  readonly share: Allocate = (lanes) => {
    const round = new Round(lanes, {
      turn: this.turn,
      room: this.room,
      free: this.free,
      inHand: (account) => this.inHand.of(account),
      hostOf: ({ receiver }) => this.hostOf(receiver),
      roomAt: (host) => this.roomAt(host),
      ahead: this.roomAhead,
      aheadAt: (host) => this.inHand.pace.at(host) - (this.waitingByHost.get(host) ?? 0)
    })
    const takes = round.play()
    this.proposed = { turn: round.turn, dealt: takes.reduce((sum, take) => sum + take, 0), lanes: lanes.length }
    return takes
  }

  /**
   * So many were claimed by the last share. `more`: a lane had less than it was dealt, so another may have some. `left`: all
   * that was dealt was taken, so there may be more that is due than hands for it.
   */
  served(count: number): { readonly more: boolean; readonly left: boolean } {
    const { dealt, lanes, turn } = this.proposed
    if (count > 0) this.turn = turn
    return { more: count > 0 && count < dealt && lanes > 1, left: lanes > 0 && count === dealt }
  }

  take(lane: QueueKey): Hand {
    return new Hand(lane, this.inHand, this.limits)
  }

  private hostOf(receiver: QueueKey["receiver"]): string {
    return this.inHand.hostOf(receiver) ?? receiver
  }

  private roomAt(host: string): number {
    return this.limits.perHost - this.inHand.at(host)
  }
}

interface Proposal {
  readonly turn: Turn
  readonly dealt: number
  readonly lanes: number
}
