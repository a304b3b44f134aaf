import type { Lane, Share } from "@tapedeck/core"
import type { AccountId } from "@tapedeck/domain"
import { add } from "./counts.ts"
import { Pace } from "./Pace.ts"
import { accountShare, Round, type Turn } from "./Round.ts"

export interface HandLimits {
  /** How many attempts are in hand at a time. */
  readonly concurrency: number
  /** How many of them may be at one host: one that hangs does not occupy all. */
  readonly perHost: number
}

/** An attempt in hand. */
export interface Hand {
  /** Whether the attempt may go to this host; false where that has its limit in hand already. */
  readonly admit: (host: string) => boolean
  /** Its receiver has answered, or nothing is to come of it: the hand may take another while that is recorded. */
  readonly answered: () => void
  /** It is recorded. */
  readonly free: () => void
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

/** So many receivers' hosts are remembered. */
const mostReceivers = 10_000

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
  private readonly byAccount = new Map<AccountId, number>()
  private readonly byHost = new Map<string, number>()
  /** Where receivers were when they were last called: their configuration may say otherwise by now. */
  private readonly hosts = new Map<string, string>()
  private inHand = 0
  /** Answered, and yet to be recorded. */
  private recording = 0
  /** Who was served last, and what share that was: the next in turn comes first. */
  private turn: Turn = { account: Number.NEGATIVE_INFINITY, count: 0 }
  private proposed: Proposal = { turn: this.turn, dealt: 0, lanes: 0 }
  private readonly pace: Pace
  /** How many are claimed, and wait for a hand. */
  private waiting = 0
  private readonly waitingByHost = new Map<string, number>()

  constructor(limits: HandLimits, nowMs: () => number) {
    this.limits = limits
    this.pace = new Pace(nowMs)
  }

  get free(): number {
    const { concurrency } = this.limits
    const unrecorded = Math.max(concurrency, mostUnrecorded)
    return concurrency - this.inHand - Math.max(0, this.recording - unrecorded)
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
    return Math.max(0, Math.min(mostAhead * this.limits.concurrency, this.pace.total) - this.waiting)
  }

  /** Whether an attempt may begin: a hand is free for its account, and its host has room. */
  admits({ accountId, receiver }: Lane): boolean {
    const { free } = this
    if (free <= 0 || this.inHandOf(accountId) >= accountShare * free) return false
    return this.roomAt(this.hostOf(receiver)) > 0
  }

  /** An attempt waits for a hand; gives where it will go. */
  wait({ receiver }: Lane): string {
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
  readonly share: Share = (lanes) => {
    const round = new Round(lanes, {
      turn: this.turn,
      room: this.room,
      free: this.free,
      inHand: (account) => this.inHandOf(account),
      hostOf: ({ receiver }) => this.hostOf(receiver),
      roomAt: (host) => this.roomAt(host),
      ahead: this.roomAhead,
      aheadAt: (host) => this.pace.at(host) - (this.waitingByHost.get(host) ?? 0)
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

  take({ accountId, receiver }: Lane): Hand {
    let host = this.hosts.get(receiver)
    let isAnswered = false
    this.inHand++
    add(this.byAccount, accountId, 1)
    if (host !== undefined) add(this.byHost, host, 1)
    const letGo = () => {
      if (isAnswered) return
      isAnswered = true
      this.inHand--
      this.recording++
      add(this.byAccount, accountId, -1)
      if (host !== undefined) add(this.byHost, host, -1)
    }
    return {
      admit: (actual) => {
        if (actual !== host) {
          if (host !== undefined) add(this.byHost, host, -1)
          host = actual
          add(this.byHost, host, 1)
          this.remember(receiver, host)
        }
        return this.byHost.get(actual)! <= this.limits.perHost
      },
      answered: () => {
        if (!isAnswered) this.pace.ended(host ?? receiver)
        letGo()
      },
      free: () => {
        letGo()
        this.recording--
      }
    }
  }

  private inHandOf(account: AccountId): number {
    return this.byAccount.get(account) ?? 0
  }

  private hostOf(receiver: string): string {
    return this.hosts.get(receiver) ?? receiver
  }

  private roomAt(host: string): number {
    return this.limits.perHost - (this.byHost.get(host) ?? 0)
  }

  private remember(receiver: string, host: string) {
    if (this.hosts.size >= mostReceivers) this.hosts.clear()
    this.hosts.set(receiver, host)
  }
}

interface Proposal {
  readonly turn: Turn
  readonly dealt: number
  readonly lanes: number
}
