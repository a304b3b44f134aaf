import type { Lane, Share } from "@tapedeck/core"
import type { AccountId } from "@tapedeck/domain"

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

/**
 * An account may have this many times the hands that are free: alone three quarters of all, two of them three sevenths
 * each. Whoever comes to a crowded house finds a hand, and nobody's share is kept for somebody who is not there.
 */
const accountShare = 3

/** So many receivers' hosts are remembered. */
const mostReceivers = 10_000

/**
 * What a worker has in hand, and who gets what is free: of every account, and of each of its receivers, first attempts
 * and retries by turns. Pure bookkeeping.
 */
export class Hands {
  private readonly limits: HandLimits
  private readonly byAccount = new Map<AccountId, number>()
  private readonly byHost = new Map<string, number>()
  /** Where receivers were when they were last called: their configuration may say otherwise by now. */
  private readonly hosts = new Map<string, string>()
  private inHand = 0
  /** Answered, and yet to be recorded: as many at most as there are hands, lest a store that is slow were left behind. */
  private recording = 0
  /** Who was served last, and what share that was: the next in turn comes first. */
  private turn: Turn = { account: Number.NEGATIVE_INFINITY, count: 0 }
  private proposed: Proposal = { turn: this.turn, dealt: 0, lanes: 0 }

  constructor(limits: HandLimits) {
    this.limits = limits
  }

  get free(): number {
    const { concurrency } = this.limits
    return concurrency - this.inHand - Math.max(0, this.recording - concurrency)
  }

  /** For `claim`: how many of each lane to take. Nobody has been served before `served` says so. */
  readonly share: Share = (lanes) => {
    const round = new Round(lanes, {
      turn: this.turn,
      free: this.free,
      inHand: (account) => this.byAccount.get(account) ?? 0,
      hostOf: ({ receiver }) => this.hosts.get(receiver) ?? receiver,
      roomAt: (host) => this.limits.perHost - (this.byHost.get(host) ?? 0)
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
    const answered = () => {
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
      answered,
      free: () => {
        answered()
        this.recording--
      }
    }
  }

  private remember(receiver: string, host: string) {
    if (this.hosts.size >= mostReceivers) this.hosts.clear()
    this.hosts.set(receiver, host)
  }
}

const add = <Key>(counts: Map<Key, number>, key: Key, change: 1 | -1) => {
  const count = (counts.get(key) ?? 0) + change
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}

interface Turn {
  readonly account: number
  readonly count: number
}

interface Proposal {
  readonly turn: Turn
  readonly dealt: number
  readonly lanes: number
}

interface State {
  readonly turn: Turn
  readonly free: number
  readonly inHand: (account: AccountId) => number
  readonly hostOf: (lane: Lane) => string
  readonly roomAt: (host: string) => number
}

/** Deals out the free hands: one to each account in turn, and within an account one to each of its lanes in turn. */
class Round {
  turn: Turn
  private readonly state: State
  private readonly takes: Array<number>
  private readonly seats: ReadonlyArray<Seat>
  private readonly rooms = new Map<string, number>()
  private free: number

  constructor(lanes: ReadonlyArray<Lane>, state: State) {
    this.state = state
    this.free = state.free
    this.turn = { ...state.turn, count: state.turn.count + 1 }
    this.takes = lanes.map(() => 0)
    this.seats = seatsOf(lanes, state)
  }

  play(): ReadonlyArray<number> {
    let dealt = true
    while (dealt) {
      dealt = false
      for (const seat of this.seats) {
        if (this.free > 0 && this.deal(seat)) dealt = true
      }
    }
    return this.takes
  }

  private deal(seat: Seat): boolean {
    if (seat.inHand >= accountShare * this.free) return false
    for (let tried = 0; tried < seat.lanes.length; tried++) {
      const { host, index } = seat.lanes[seat.next++ % seat.lanes.length]!
      const room = this.rooms.get(host) ?? this.state.roomAt(host)
      if (room <= 0) continue
      this.rooms.set(host, room - 1)
      this.takes[index]!++
      this.free--
      seat.inHand++
      this.turn = { ...this.turn, account: seat.account }
      return true
    }
    return false
  }
}

/** An account at the table. */
interface Seat {
  readonly account: AccountId
  readonly lanes: ReadonlyArray<{ readonly index: number; readonly host: string }>
  next: number
  inHand: number
}

/** The account after the one that was served last comes first; of an account another lane each time. */
const seatsOf = (lanes: ReadonlyArray<Lane>, { hostOf, inHand, turn }: State): ReadonlyArray<Seat> => {
  const byAccount = new Map<AccountId, Array<{ readonly index: number; readonly host: string }>>()
  lanes.forEach((lane, index) => {
    const own = byAccount.get(lane.accountId) ?? []
    own.push({ index, host: hostOf(lane) })
    byAccount.set(lane.accountId, own)
  })
  const seats = [...byAccount].map(([account, own]) => ({
    account,
    lanes: own,
    next: turn.count % own.length,
    inHand: inHand(account)
  }))
  const first = seats.findIndex(({ account }) => account > turn.account)
  return first <= 0 ? seats : [...seats.slice(first), ...seats.slice(0, first)]
}
